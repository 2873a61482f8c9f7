"""One file per process in the data folder, in prometheus_client's own form for several processes.

The files are mapped into memory, where a write that the disk has no room for would end the process. So their room is
reserved when the process starts, and a process that cannot reserve it counts in its own memory.
"""

from __future__ import annotations

import fcntl
import logging
import os
from pathlib import Path
from typing import IO

from django.conf import settings
from prometheus_client import CollectorRegistry, values
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from datasets_app.counters import instruments

RESERVED_BYTES = {"histogram": 4 * 2**20, "counter": 256 * 2**10}
MOST_OF_A_NAME = 8
log = logging.getLogger(__name__)

# Only `share` chooses files: an environment variable would choose them for every child as well.
values.ValueClass = values.MutexValue
_locks: list[IO[str]] = []


def folder() -> Path:
    return Path(settings.DATA_DIR) / "metrics"


def share(program: str) -> bool:
    """Count in a file of this program's name from now on. Call it before anything is counted.

    The name is not the process's number: a program that is started again goes on with its counts.
    """
    instruments.begin(program)
    try:
        folder().mkdir(mode=0o700, exist_ok=True)
        name = take_name(program)
        for kind, size in RESERVED_BYTES.items():
            reserve(folder() / f"{kind}_{name}.db", size)
    except OSError as error:
        log.warning("This process counts for /metrics in its own memory alone: %s", error)
        return False
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder())
    values.ValueClass = values.MultiProcessValue(lambda: name)
    return True


def take_name(program: str) -> str:
    """Return `sweeper`, or `sweeper-2` where another process counts under that name, and so on. Raises OSError."""
    for number in range(1, MOST_OF_A_NAME + 1):
        name = program if number == 1 else f"{program}-{number}"
        if lock := locked(name):
            _locks.append(lock)
            return name
    raise OSError(f"{MOST_OF_A_NAME} processes count as {program} already")


def locked(name: str) -> IO[str] | None:
    """Return the lock of a name, held until it is closed or this process ends; None if another process has it."""
    lock = (folder() / f"{name}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def reserve(path: Path, size: int) -> None:
    """Make the file as long as it will ever be, in blocks that exist. One that cannot be read begins anew."""
    if path.exists() and not is_readable(path):
        path.unlink()
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
    finally:
        os.close(descriptor)


def is_readable(path: Path) -> bool:
    """Return whether the file has counts, or nothing yet; after a loss of power it may hold anything."""
    try:
        for _ in MmapedDict.read_all_values_from_file(str(path)):
            pass
    except Exception:
        return False
    return True


def clear() -> None:
    """Forget what programs of an earlier run counted; those that run now go on."""
    for path in folder().glob("*.db"):
        if lock := locked(path.stem.partition("_")[2]):
            path.unlink(missing_ok=True)
            lock.close()


def everything() -> CollectorRegistry:
    """Return what all processes of this data folder counted, or else what this one did."""
    if not any(folder().glob("*.db")):
        return instruments.REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder()))
    return registry
