"""The entry point of a WSGI server."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from concur_site.sqlite_write_lock.keeper import keep_log_in_place
from datasets_app.bounded import start

os.umask(0o077)  # what the site writes is its owner's alone
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
application = get_wsgi_application()
log_keeper = keep_log_in_place(settings.DATABASES["default"])
start()  # the first page need not wait for a process that analyses its texts
# What is loaded by now stays as long as the process: no request's collection of garbage looks through it again.
gc.collect()
gc.freeze()
