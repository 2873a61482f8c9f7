"""The request type of views that check for htmx (see django-htmx's middleware)."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """For annotations: Django creates a plain request, and the middleware sets `htmx` on it."""

    htmx: HtmxDetails
