"""A limit on the work of a search, which SQLite does in the thread that fetches."""

import time

WAITING = 8  # times as long on the clock, for a disk; a busy machine takes as long for work that is soon done


class WorkLimit:
    """Is over after so many seconds of this thread's processor time, or `WAITING` times as many on the clock."""

    def __init__(self, seconds: float) -> None:
        self._work_end = time.thread_time() + seconds
        self._clock_end = time.monotonic() + WAITING * seconds

    @property
    def is_over(self) -> bool:
        return time.thread_time() > self._work_end or time.monotonic() > self._clock_end
