"""The entry point of a WSGI server."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from concur_site.sqlite_write_lock.keeper import keep_log_in_place
from concur_site.sqlite_write_lock.kept_connections import keep_connections
from datasets_app.bounded import start

os.umask(0o077)  # files of the site are readable by its owner only
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
application = get_wsgi_application()
log_keeper = keep_log_in_place(settings.DATABASES["default"])
keep_connections()
gc.disable()  # while all views are loaded
start()  # so that the first page does not wait for an analysis process
reverse("home")  # loads all views, which would wait for the first request
# Objects loaded by now live as long as the process: exclude them from garbage collection.
gc.collect()
gc.freeze()
gc.enable()
