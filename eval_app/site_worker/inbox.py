"""The inbox: reads the hosts' messages beside the site's background tasks, so that a long ingest does not
expire leases."""

import logging
import random
import threading
import time
from typing import cast

import redis
from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from datasets_app.disk_space import when_there_is_room
from eval_app.broker.messages.keys import inbound_list
from eval_app.models import Host
from eval_app.site_worker import inbound

log = logging.getLogger(__name__)
LOOK_FOR_HOSTS_SECONDS = 2.0
POP_SECONDS = 1
PAUSE_SECONDS = 1.0


class Inbox(threading.Thread):
    """Reads one message at a time from the hosts' lists, in the order of each list, until it is ended.

    A message is popped before it is handled. If the process is killed in between, the row's lease expires and
    the sweeper requeues it; if the database is unavailable, the message is put back.
    """

    def __init__(self) -> None:
        super().__init__(name="inbox", daemon=True)
        self.ended = threading.Event()
        self.client = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=POP_SECONDS + 5, socket_connect_timeout=5
        )
        self.hosts: list[str] = []
        self.looked_at = float("-inf")

    def run(self) -> None:
        while not self.ended.is_set():
            close_old_connections()
            try:
                self.step()
            except (redis.RedisError, OSError) as error:
                log.warning("The broker does not answer, so no reports arrive: %s", error)
                self.ended.wait(PAUSE_SECONDS)
            except Exception:
                log.exception("A message could not be handled")
                self.ended.wait(PAUSE_SECONDS)
        connections.close_all()

    def step(self) -> None:
        """Wait briefly for one message and handle it."""
        names = self.names()
        if not names:
            self.ended.wait(PAUSE_SECONDS)
            return
        lists = {inbound_list(name).encode(): name for name in names}
        # BRPOP pops from the first non-empty list: a random order keeps one host from crowding out the
        # others.
        order = random.sample(list(lists), len(lists))
        popped = cast("tuple[bytes, bytes] | None", self.client.brpop(order, timeout=POP_SECONDS))
        if popped:
            key, raw = popped
            self.take_in(lists[key], raw)

    def names(self) -> list[str]:
        """Return all hosts, revoked ones included: they are told so."""
        if time.monotonic() - self.looked_at >= LOOK_FOR_HOSTS_SECONDS:
            self.hosts = list(Host.objects.values_list("name", flat=True))
            self.looked_at = time.monotonic()
        return self.hosts

    def take_in(self, host: str, raw: bytes) -> None:
        """Handle a message. If the database is unavailable, append it to its list again."""
        try:
            when_there_is_room(lambda: inbound.receive(host, raw))
        except (OperationalError, InterfaceError) as error:
            log.warning("A message of %s waits for the database: %s", host, error)
            self.client.lpush(inbound_list(host), raw)
            self.ended.wait(PAUSE_SECONDS)
