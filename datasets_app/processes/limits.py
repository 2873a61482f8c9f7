"""Limits of child processes: memory, processor priority, and a life no longer than the parent's."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15


def confine(name: str, memory_bytes: int, niceness: int = 0) -> None:
    """Apply the limits to this child, for good."""
    die_with_parent()
    _prctl(PR_SET_NAME, name.encode()[:15])
    os.nice(niceness)
    most = data_bytes() + memory_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def limited_memory(memory_bytes: int) -> Iterator[None]:
    """Apply the same memory limit to a part of a process that continues, such as a command."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = data_bytes() + memory_bytes
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def data_bytes() -> int:
    """Return this process's private writable memory, which is what RLIMIT_DATA counts.

    RLIMIT_AS would count mapped files as well, and a Parquet file is mapped however large it is.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0


def die_with_parent() -> None:
    """End this process when the one that requested it has ended, or the server that forked it."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), name="parent", daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    os.kill(os.getpid(), signal.SIGKILL)


def _prctl(option: int, value: int | bytes) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
