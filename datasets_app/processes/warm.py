"""Imported once by the fork server, so that each child starts with the site loaded.

Nothing here may open a database connection or start a thread: children would share it.
"""

import gc
import os
import signal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

gc.disable()  # what is loaded stays
import django  # noqa: E402

django.setup()

import pyarrow.parquet  # noqa: E402, F401  (slow to import, and needed by every look at a file)

from datasets_app.processes import kinds  # noqa: E402

kinds.load()
# Children neither collect what is loaded by now nor copy its pages for it.
gc.collect()
gc.freeze()
gc.enable()

# SIGTERM goes to the whole group: the server must outlive it until its children have returned their jobs.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
