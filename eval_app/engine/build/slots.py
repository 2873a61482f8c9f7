"""Slots for compilers, limited by cores and memory."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_S = 0.1
_KEPT_FREE_MB = 1024


class CancelledError(Exception):
    """The caller cancelled while waiting."""


class Slots:
    """Cores and memory for compilers. Thread-safe."""

    def __init__(self, jobs: int, memory_mb: int) -> None:
        """Allow at most `jobs` compilers that use at most `memory_mb` together, but always at least one."""
        self._jobs, self._memory_mb = max(1, jobs), memory_mb
        self._running, self._taken_mb = 0, 0
        self._changed = threading.Condition()

    @contextmanager
    def take(self, peak_mb: int, cancelled: Callable[[], bool]) -> Iterator[float]:
        """Wait for room and hold it for the block; yield the seconds waited. Raises CancelledError."""
        started = time.monotonic()
        with self._changed:
            while not self._fits(peak_mb):
                if cancelled():
                    raise CancelledError
                self._changed.wait(_POLL_S)
            self._running += 1
            self._taken_mb += peak_mb
        try:
            yield time.monotonic() - started
        finally:
            with self._changed:
                self._running -= 1
                self._taken_mb -= peak_mb
                self._changed.notify_all()

    def _fits(self, peak_mb: int) -> bool:
        if self._running == 0:
            return True
        return self._running < self._jobs and self._taken_mb + peak_mb <= self._memory_mb


def room(jobs: int | None = None, memory_mb: int | None = None) -> Slots:
    """Return slots; by default for all cores and the free memory."""
    return Slots(jobs or cores(), memory_mb or free_mb())


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def free_mb() -> int:
    """Return the memory for compilers: what the machine or this control group has free, less a reserve."""
    free = [_available_mb(), _group_free_mb()]
    return max(1024, min(value for value in free if value is not None) - _KEPT_FREE_MB)


def _available_mb() -> int:
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // 1024
    return 4096


def _group_free_mb() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text("ascii").strip()
    except OSError:
        return None
    return None if limit == "max" else (int(limit) - int(used)) // (1024 * 1024)
