"""Settings with django-axes in place of the site's own sign-in throttle, for benchmarks.libraries.sign_in."""

import os
from datetime import timedelta

from concur_site.settings import *  # noqa: F403
from concur_site.settings import AUTHENTICATION_BACKENDS, INSTALLED_APPS, MIDDLEWARE

INSTALLED_APPS = [*INSTALLED_APPS, "axes"]
MIDDLEWARE = [*MIDDLEWARE, "axes.middleware.AxesMiddleware"]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", *AUTHENTICATION_BACKENDS]
ROOT_URLCONF = "benchmarks.libraries.axes_urls"
AXES_LOCKOUT_PARAMETERS = [os.environ["AXES_BY"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=1)
