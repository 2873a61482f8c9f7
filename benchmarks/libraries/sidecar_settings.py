"""The site's settings with drf-spectacular-sidecar's pages beside its own, for benchmarks.libraries.api_pages."""

from concur_site.settings import *  # noqa: F403
from concur_site.settings import INSTALLED_APPS, SPECTACULAR_SETTINGS

DEBUG = True  # runserver serves the static files
INSTALLED_APPS = [*INSTALLED_APPS, "drf_spectacular_sidecar"]
ROOT_URLCONF = "benchmarks.libraries.sidecar_urls"
SPECTACULAR_SETTINGS = {
    **SPECTACULAR_SETTINGS,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
