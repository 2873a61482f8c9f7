"""How many requests of the last minutes were answered 5xx, from what the site processes counted."""

import time
from collections import deque
from collections.abc import Callable

from datasets_app.counters import files

Counts = tuple[float, float]  # all answers, and those of 500 and above


class PageErrors:
    """Remembers the counts of some minutes: counters only grow, so that a difference is what happened between."""

    WINDOW_SECONDS = 300.0

    def __init__(self, read: Callable[[], Counts] | None = None) -> None:
        self._read = read or counted
        self._seen: deque[tuple[float, Counts]] = deque()

    def note(self, now: float | None = None) -> None:
        """Read the counters. A run that begins anew counts from zero, and so does this."""
        now = time.monotonic() if now is None else now
        counts = self._read()
        if self._seen and counts[0] < self._seen[-1][1][0]:
            self._seen.clear()
        self._seen.append((now, counts))
        while now - self._seen[0][0] > self.WINDOW_SECONDS:
            self._seen.popleft()

    def recent(self) -> tuple[int, int]:
        """Return the numbers of all and of faulty answers within the window."""
        if not self._seen:
            return 0, 0
        (_, first), (_, last) = self._seen[0], self._seen[-1]
        return int(last[0] - first[0]), int(last[1] - first[1])


def counted() -> Counts:
    """Return the number of all answers that were ever counted, and of those of 500 and above.

    A full disk (507) counts as one: nothing could be stored.
    """
    total = faulty = 0.0
    for metric in files.everything().collect():
        for sample in metric.samples:
            if sample.name == "concur_page_seconds_count":
                total += sample.value
                faulty += sample.value if sample.labels["status"].startswith("5") else 0
    return total, faulty
