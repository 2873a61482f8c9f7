"""Reads what hosts send, beside the site's background tasks: a long ingest must not make leases run out."""

import logging
import random
import threading
import time
from typing import cast

import redis
from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from datasets_app.disk_space import when_there_is_room
from eval_app.broker.messages import inbound
from eval_app.broker.messages.keys import inbound_list
from eval_app.models import Host

log = logging.getLogger(__name__)
LOOK_FOR_HOSTS_SECONDS = 2.0
POP_SECONDS = 1
PAUSE_SECONDS = 1.0


class Inbox(threading.Thread):
    """Takes one message at a time from the hosts' lists, in the order of each, until it is told to end.

    A message is popped before it is acted on. If the process is killed in between, the row's lease ends and the sweeper
    has it run again; if the database is away, the message is kept and tried again.
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
                log.warning("The broker does not answer, so no report comes in: %s", error)
                self.ended.wait(PAUSE_SECONDS)
            except Exception:
                log.exception("A message could not be taken in")
                self.ended.wait(PAUSE_SECONDS)
        connections.close_all()

    def step(self) -> None:
        """Wait for one message for a moment, and act on it."""
        names = self.names()
        if not names:
            self.ended.wait(PAUSE_SECONDS)
            return
        lists = {inbound_list(name).encode(): name for name in names}
        # The first list that has something is popped: in a new order each time, no host can crowd out the others.
        order = random.sample(list(lists), len(lists))
        popped = cast("tuple[bytes, bytes] | None", self.client.brpop(order, timeout=POP_SECONDS))
        if popped:
            key, raw = popped
            self.take_in(lists[key], raw)

    def names(self) -> list[str]:
        """All hosts, revoked ones too: they are told that they are."""
        if time.monotonic() - self.looked_at >= LOOK_FOR_HOSTS_SECONDS:
            self.hosts = list(Host.objects.values_list("name", flat=True))
            self.looked_at = time.monotonic()
        return self.hosts

    def take_in(self, host: str, raw: bytes) -> None:
        """Act on a message. One that the database cannot take now goes to the end of its list."""
        try:
            when_there_is_room(lambda: inbound.receive(host, raw))
        except (OperationalError, InterfaceError) as error:
            log.warning("A message of %s waits for the database: %s", host, error)
            self.client.lpush(inbound_list(host), raw)
            self.ended.wait(PAUSE_SECONDS)
