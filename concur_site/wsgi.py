"""The entry point of a WSGI server."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
application = get_wsgi_application()
# What is loaded by now stays as long as the process: no request's collection of garbage looks through it again.
gc.collect()
gc.freeze()
