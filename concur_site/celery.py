"""The site's Celery application. The part that hosts share is in eval_app.broker.celery_app.

The job rows in the database, their leases and the sweeper ensure that nothing is lost or recorded twice, whatever the
broker does. Workers run only what the site itself has signed.
"""

import os
from typing import Any

from celery import Celery, signals

from datasets_app.broker.client import TIMEOUT_SECONDS
from eval_app.broker.celery_app import is_of_the_site, make_app
from eval_app.broker.messages.celery_messages import accept_signed_only, sign_what_is_sent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")


def site_app() -> Celery:
    """Return the application of the site's shared tasks."""
    # Imported here because settings are read, and models loaded, only after this module has set their
    # variable.
    from django.conf import settings

    from eval_app.workers import site_key

    app = make_app(settings.REDIS_URL, producer_timeout_seconds=TIMEOUT_SECONDS)
    sign_what_is_sent(site_key.signing_key)
    accept_signed_only(app, site_key.verifying_key, is_of_the_site)
    app.autodiscover_tasks()
    return app


@signals.celeryd_init.connect
def keep_files_private(**_: Any) -> None:
    """Set the umask, so that only the owner can read a worker's files, however the worker was started."""
    os.umask(0o077)


app = site_app()
