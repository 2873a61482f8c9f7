"""kombu's Redis transport without Lua, acknowledgement keys, or faith in what a list holds. Imports no Django.

The rows in the database say what is to be done and the sweeper sends what is lost, so a message that was popped needs
no copy in Redis. kombu's own copies are a hash that every worker reads and writes, guarded by a lock in Lua: a host
could read and change there what others were sent, and a Redis without EVAL ends the worker.
"""

import logging
from queue import Empty
from typing import Any

from kombu import transport
from kombu.transport import redis

log = logging.getLogger(__name__)
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class Channel(redis.Channel):
    """Pops messages, at most once; drops what is no message instead of ending the worker."""

    ack_emulation = False
    do_restore = False  # a host may not write to the queues that it reads

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except MALFORMED as error:
            log.error("Dropped what is no message: %r", error)
            raise Empty from error


class Transport(redis.Transport):
    """The transport of every Celery application of the workbench; `register` puts it in kombu's table."""

    Channel = Channel


def register() -> None:
    """Have kombu use this transport for Redis. Addresses such as redis+socket:// name it by these names only."""
    path = f"{Transport.__module__}:{Transport.__name__}"
    transport.TRANSPORT_ALIASES.update(redis=path, rediss=path)
