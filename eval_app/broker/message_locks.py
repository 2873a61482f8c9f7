"""Message locks: a Redis key for each verification and attempt, set by the worker that has the message.
Imports no Django.

A worker that takes a message sets the key, renews it while it works, and finally sets it to DONE. A message
that is redelivered, or sent twice, finds the key and is dropped. A dead worker's key expires.
"""

from collections.abc import Iterable

from redis import Redis

DONE = "done"
KEPT_SECONDS = 7 * 24 * 3600  # how long a finished attempt is remembered
LOCK_LEASES = 2  # a lock outlives the row's lease, so that the row is reassigned first
NO_END = -1  # TTL of a key that never expires


def key(verification: object, attempt: int) -> str:
    """Return the Redis key of a lock."""
    return f"concur:claim:{verification}:{attempt}"


class MessageLocks:
    """The locks of one holder: a worker, by its name."""

    def __init__(self, redis: "Redis", holder: str) -> None:
        self.redis = redis
        self.holder = holder

    def take(self, verification: object, attempt: int, seconds: int) -> bool:
        """Lock a message. Return False if it is locked or finished."""
        return bool(self.redis.set(key(verification, attempt), self.holder, nx=True, ex=seconds))

    def renew(self, verification: object, attempt: int, seconds: int) -> bool:
        """Extend a lock, or set it again if Redis lost it. Return False if it is another's, or finished."""
        name = key(verification, attempt)
        holder = self.redis.get(name)
        if holder is None:
            return self.take(verification, attempt, seconds)
        return _text(holder) == self.holder and bool(self.redis.expire(name, seconds))

    def finish(self, verification: object, attempt: int) -> None:
        """Mark an attempt as finished."""
        self.redis.set(key(verification, attempt), DONE, ex=KEPT_SECONDS)


def finish_all(redis: "Redis", attempts: Iterable[tuple[object, int]]) -> None:
    """Mark attempts as finished, in one round trip."""
    with redis.pipeline(transaction=False) as pipe:
        for verification, attempt in attempts:
            pipe.set(key(verification, attempt), DONE, ex=KEPT_SECONDS)
        pipe.execute()


def holders(
    redis: "Redis", attempts: Iterable[tuple[object, int]], longest_seconds: float = float("inf")
) -> list[str | None]:
    """Return the holder of each (verification, attempt): a worker's name, DONE, or None.

    A lock that would last longer than any worker's is ignored: it is forged, and would hold its row forever.
    """
    names = [key(verification, attempt) for verification, attempt in attempts]
    with redis.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.get(name)
            pipe.ttl(name)
        answers = pipe.execute()
    values = [None if value is None else _text(value) for value in answers[::2]]
    lasting = [seconds == NO_END or seconds > longest_seconds for seconds in answers[1::2]]
    return [
        None if forged and holder != DONE else holder for holder, forged in zip(values, lasting, strict=True)
    ]


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
