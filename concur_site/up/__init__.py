"""`manage.py up`: everything that a first run needs, started by one command and stopped by Ctrl-C.

`checks` reports what this machine lacks, `prepare` brings the data folder up to date, `processes` lists what runs,
`supervise` keeps it running.
"""
