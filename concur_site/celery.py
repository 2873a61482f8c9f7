"""The site's Celery application. What it shares with the hosts that verify is in eval_app.broker.

Redis redelivers what a killed worker held; the job rows in the database, their leases and the sweeper
make sure that nothing is lost or recorded twice whatever the broker does.
"""

import os

from celery import Celery

from eval_app.broker import make_app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")


def site_app() -> Celery:
    """The application that every shared task of the site belongs to."""
    from django.conf import settings

    app = make_app(settings.REDIS_URL)
    app.autodiscover_tasks()
    return app


app = site_app()
