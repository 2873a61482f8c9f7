"""The broker as both sides see it: queues, the Celery application, what a lost worker may cost.

Imports no Django: a GPU host has only this, the engine, Celery and Redis.
"""

import logging
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning

SITE_QUEUE = "site"  # needs the database: ingest, release, export, recording reports, sweeping
DEVICE_KINDS = ("cpu", "cuda")
VERIFY_TASK = "verify"
VISIBILITY_TIMEOUT_SECONDS = 6 * 3600  # above the longest task, or Redis would hand it out twice

# What a worker tells the site, each a task on the site's queue.
HEARTBEAT_TASK = "eval_app.heartbeat"
ANNOUNCE_TASK = "eval_app.announce"
RECORD_TASK = "eval_app.record"
GIVE_BACK_TASK = "eval_app.give_back"


def verify_queue(device_kind: str) -> str:
    """The queue of one kind of device."""
    return f"verify.{device_kind}"


def message_list(device_kind: str, priority: int) -> str:
    """The key in Redis of the messages of one priority: kombu keeps a list for each."""
    return f"{verify_queue(device_kind)}\x06\x16{priority}" if priority else verify_queue(device_kind)


def broker_url(redis_url: str) -> str:
    """Celery's name for the address that redis-py calls unix://."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def make_app(redis_url: str, **options: Any) -> Celery:
    """A Celery application on this Redis: JSON only, acknowledged late, nothing prefetched."""
    app = Celery("concur", **options)
    app.conf.update(
        broker_url=broker_url(redis_url),
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
            "unacked_restore_interval": 1,
            "unacked_restore_throttle": 1,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
        },
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_default_queue=SITE_QUEUE,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        timezone="UTC",
    )
    return app


def run_worker(app: Celery, name: str, queues: list[str], concurrency: int) -> None:
    """Celery's worker with threads in this process, until SIGTERM or SIGINT. Its logging is its caller's.

    A line for each message would bury what matters: heartbeats come every few seconds.
    """
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    warnings.simplefilter(
        "ignore", SecurityWarning
    )  # that root may be handed a pickle: only JSON is accepted
    app.Worker(
        hostname=name,
        pool="threads",
        concurrency=concurrency,
        queues=queues,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    ).start()
