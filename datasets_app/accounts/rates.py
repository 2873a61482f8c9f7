"""Rate limits in this process's memory: one token bucket per key.

Every process of the site counts separately, so that N processes admit up to N times the rate. In return a request needs
no write and no other server. The limit is meant for noise and runaway loops, not for password guessing.
"""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

PERMIT = "api_permit"  # of the request that took it
MOST_KEYS = 10_000  # the least recently used keys are dropped; a dropped key starts with a full bucket


class Permit(NamedTuple):
    """An answer of a rate. `reset_s`: the seconds until all permits are there again, if none is taken meanwhile."""

    wait_s: int  # 0: granted
    limit: int
    left: int
    reset_s: int


class Rate:
    """At most `per_minute` permits per minute and key, which may be taken all at once."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        # Permits left, and when that was.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> int:
        """Take one permit. Return 0, or the seconds until one is available."""
        return self.ask(key).wait_s

    def ask(self, key: str) -> Permit:
        """Take one permit if there is one, and return how many are left."""
        now = self._clock()
        with self._lock:
            left, at = self._buckets.pop(key, (float(self.per_minute), now))
            left = min(self.per_minute, left + (now - at) * self.per_minute / 60)
            granted = left >= 1
            left -= granted
            self._buckets[key] = (left, now)
            if len(self._buckets) > MOST_KEYS:
                self._buckets.popitem(last=False)
        wait_s = 0 if granted else max(1, math.ceil((1 - left) * 60 / self.per_minute))
        return Permit(
            wait_s, self.per_minute, int(left), math.ceil((self.per_minute - left) * 60 / self.per_minute)
        )

    def clear(self) -> None:
        """Forget every key."""
        with self._lock:
            self._buckets.clear()
