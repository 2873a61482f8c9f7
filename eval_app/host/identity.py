"""The worker's name: the machine's name, numbered if several workers run on one machine."""

import fcntl
import itertools
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class Identity:
    """A name that is stable across restarts, and the folder that belongs to it."""

    name: str
    folder: Path
    lock: IO[str]  # held until the process ends, however it ends


def take_identity(base: Path, machine: str = "") -> Identity:
    """Return the first free name on this machine: `host`, `host-2`, `host-3` ..."""
    machine = (machine or socket.gethostname())[:100]
    for number in itertools.count(1):
        name = machine if number == 1 else f"{machine}-{number}"
        folder = base / name
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        return Identity(name, folder, lock)
    raise AssertionError("count() never ends")
