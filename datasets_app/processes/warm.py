"""Imported once by the server that children are forked from, so that each starts with the site already loaded.

Nothing here may open a database connection or start a thread: children would share it.
"""

import os
import signal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()

import pyarrow.parquet  # noqa: E402, F401  (slow to import, and needed by every look at a file)

import datasets_app.tasks  # noqa: E402, F401  (every kind of job)

# A stop is sent to the whole group: the server outlives it until its children have handed their jobs back.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
