"""`manage.py up`: everything a newcomer needs, started by one command and stopped by Ctrl-C.

checks.py says what this machine lacks, prepare.py brings the data folder up to date, processes.py says
what runs, supervise.py keeps it running.
"""
