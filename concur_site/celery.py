"""The Celery application of the site: what it runs, on which queue, and what a lost worker may cost.

Redis redelivers what a killed worker held; the job rows in the database, their leases and the sweeper
make sure that nothing is lost or recorded twice whatever the broker does.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

SITE_QUEUE = "site"
VISIBILITY_TIMEOUT_SECONDS = 6 * 3600  # above the longest task, or Redis would hand it out twice


def broker_url(redis_url: str) -> str:
    """Celery's name for the address that redis-py calls unix://."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def make_app(redis_url: str) -> Celery:
    app = Celery("concur")
    app.conf.update(
        broker_url=broker_url(redis_url),
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
            "unacked_restore_interval": 1,
            "unacked_restore_throttle": 1,
        },
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_default_queue=SITE_QUEUE,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        timezone="UTC",
    )
    return app


def site_app() -> Celery:
    from django.conf import settings

    app = make_app(settings.REDIS_URL)
    app.autodiscover_tasks()
    return app


app = site_app()
