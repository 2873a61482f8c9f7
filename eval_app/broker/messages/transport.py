"""kombu's Redis transport without Lua or acknowledgement keys, and tolerant of invalid messages. Imports no Django.

The database holds the truth about jobs and the sweeper resends lost ones, so a popped message needs no copy
in Redis. kombu's own copies are a hash that every worker reads and writes, guarded by a lock in Lua: a host
could read and change messages to others there, and a Redis without EVAL would end the worker.
"""

import logging
from queue import Empty
from typing import Any

from kombu import transport
from kombu.transport import redis

log = logging.getLogger(__name__)
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class Channel(redis.Channel):
    """Pops messages at most once; drops invalid ones instead of ending the worker."""

    ack_emulation = False
    do_restore = False  # a host may not write to its queues

    def _basic_cancel(self, consumer_tag: str) -> Any:
        """Keep the queue's callback: a BRPOP that still names it may return a message, which kombu would append to
        the queue again, where a host may not write. Its receiver gives it back to the site instead."""
        queue = self._tag_to_queue.get(consumer_tag)
        callbacks = self.connection._callbacks if self.connection else {}
        callback = callbacks.get(queue)
        ended = super()._basic_cancel(consumer_tag)
        if callback is not None:
            callbacks.setdefault(queue, callback)
        return ended

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except MALFORMED as error:
            log.error("Dropped an invalid message: %r", error)
            raise Empty from error
        except RuntimeError as error:
            if not self._closing:
                raise
            # The worker's threads have ended; the sweeper sends the row again.
            log.warning("Left a message that came while this worker stopped: %s", error)
            raise Empty from error


class Transport(redis.Transport):
    """The transport of all Celery applications here; `register` adds it to kombu's table."""

    Channel = Channel


def register() -> None:
    """Have kombu use this transport for Redis. Addresses such as redis+socket:// refer to it only by these names."""
    path = f"{Transport.__module__}:{Transport.__name__}"
    transport.TRANSPORT_ALIASES.update(redis=path, rediss=path)
