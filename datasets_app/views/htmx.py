"""The request as views get it: django-htmx's middleware has added to it what htmx said."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """For annotations: Django makes the plain request, and the middleware sets `htmx` on that."""

    htmx: HtmxDetails
