"""`manage.py up`: starts everything that a first run needs with one command, and stops it on Ctrl-C.

`checks` reports what this machine lacks, `prepare` brings the data folder up to date, `processes` lists what runs,
`supervise` keeps it running.
"""
