"""Who has a message: a key in Redis for each verification and attempt. Imports no Django.

A worker that takes a message sets the key, renews it while it works, and leaves it as DONE. A message
that is redelivered, or sent twice, finds the key and is dropped. A dead worker's key runs out.
"""

from collections.abc import Iterable

from redis import Redis

DONE = "done"
KEPT_SECONDS = 7 * 24 * 3600  # how long a finished attempt is remembered
LOCK_LEASES = 2  # a claim outlives the row's lease: the row is handed on first
NO_END = -1  # what TTL says of a key that never runs out


def key(verification: object, attempt: int) -> str:
    return f"concur:claim:{verification}:{attempt}"


class MessageLocks:
    """The locks of one holder, a worker by its name."""

    def __init__(self, redis: "Redis", holder: str) -> None:
        self.redis = redis
        self.holder = holder

    def take(self, verification: object, attempt: int, seconds: int) -> bool:
        """Claim a message. False if somebody has it, or had it and finished."""
        return bool(self.redis.set(key(verification, attempt), self.holder, nx=True, ex=seconds))

    def renew(self, verification: object, attempt: int, seconds: int) -> bool:
        """Keep a claim, or set it again where Redis forgot it. False if it is another's, or finished, now."""
        name = key(verification, attempt)
        holder = self.redis.get(name)
        if holder is None:
            return self.take(verification, attempt, seconds)
        return _text(holder) == self.holder and bool(self.redis.expire(name, seconds))

    def finish(self, verification: object, attempt: int) -> None:
        """Remember that this attempt needs nobody any more."""
        self.redis.set(key(verification, attempt), DONE, ex=KEPT_SECONDS)


def finish_all(redis: "Redis", attempts: Iterable[tuple[object, int]]) -> None:
    """Remember of each that it needs nobody any more, in one round trip."""
    with redis.pipeline(transaction=False) as pipe:
        for verification, attempt in attempts:
            pipe.set(key(verification, attempt), DONE, ex=KEPT_SECONDS)
        pipe.execute()


def holders(
    redis: "Redis", attempts: Iterable[tuple[object, int]], longest_seconds: float = float("inf")
) -> list[str | None]:
    """Who holds each (verification, attempt): a worker's name, DONE, or None.

    A claim that would last longer than any worker's is nobody's: it is forged, and would hold its row for ever.
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
