"""The Celery application and the queues of site and hosts.

Imports no Django: a GPU host has only this, the engine, Celery and Redis.
"""

import hashlib
import logging
import warnings
from collections.abc import Iterable
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from kombu import Connection, Exchange, Queue

from eval_app.broker.messages import transport

SITE_QUEUE = "site"  # needs the database: ingest, release, export, sweeping
DEVICE_KINDS = ("cpu", "cuda")
VERIFY_TASK = "verify"


def verify_queue(device_kind: str, requirement: str = "") -> str:
    """Return the queue of a kind of device; each requirement besides has a queue of its own under it."""
    if not requirement:
        return f"verify.{device_kind}"
    return f"verify.{device_kind}.{hashlib.sha256(requirement.encode()).hexdigest()[:16]}"


def is_for(queue: str, device_kinds: Iterable[str]) -> bool:
    """Return whether a queue is one of these kinds of device."""
    return any(f"{queue}.".startswith(f"{verify_queue(kind)}.") for kind in device_kinds)


def is_of_the_site(queue: str) -> bool:
    """Return whether the site's own workers serve this queue: all queues except those of hosts."""
    return not is_for(queue, DEVICE_KINDS)


def host_queue(name: str) -> Queue:
    """Return a queue as a host uses it, which may not declare any."""
    return Queue(name, Exchange(""), name, no_declare=True)


def message_list(device_kind: str, priority: int, requirement: str = "") -> str:
    """Return the Redis key of a queue's messages of one priority: kombu keeps one list per priority."""
    queue = verify_queue(device_kind, requirement)
    return f"{queue}\x06\x16{priority}" if priority else queue


def broker_url(redis_url: str) -> str:
    """Return the address for Celery, which has its own name for redis-py's unix://."""
    return redis_url.replace("unix://", "redis+socket://", 1)


class Application(Celery):
    """Celery with a timeout for producers while the broker does not answer.

    Consumers wait indefinitely: they use BRPOP, which returns when there is work.
    """

    producer_timeout_seconds: float

    def connection_for_write(
        self, url: str | None = None, transport_options: dict[str, Any] | None = None, **options: Any
    ) -> Connection:
        """Return a connection that fails after the producer's timeout, without retries."""
        seconds = self.producer_timeout_seconds
        limits = {"socket_timeout": seconds, "socket_connect_timeout": seconds, "max_retries": 0}
        connection: Connection = super().connection_for_write(
            url, transport_options={**limits, **(transport_options or {})}, **options
        )
        return connection


def make_app(redis_url: str, producer_timeout_seconds: float = 10.0, **options: Any) -> Celery:
    """Return a Celery application on this Redis: JSON only, no prefetching, no remote control."""
    transport.register()
    app = Application("concur", **options)
    app.producer_timeout_seconds = producer_timeout_seconds
    app.conf.update(
        broker_url=broker_url(redis_url),
        broker_connection_retry_on_startup=True,
        broker_channel_error_retry=True,  # a Redis with a full disk also refuses polling
        broker_transport_options={
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
        worker_enable_remote_control=False,  # anyone who can publish could stop or reconfigure a worker
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        timezone="UTC",
    )
    return app


def run_worker(app: Celery, name: str, queues: list[str], concurrency: int) -> None:
    """Run Celery's worker with threads in this process until SIGTERM or SIGINT. The caller configures logging.

    Lines per message are suppressed: heartbeats arrive every few seconds.
    """
    for chatty in ("celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    warnings.simplefilter("ignore", SecurityWarning)  # about pickle as root: only JSON is accepted
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
