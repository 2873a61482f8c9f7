"""Files of a build that the compilers' user reads, whatever the engine's umask, and the bytes of a build's folder."""

import contextlib
import os
import stat
from pathlib import Path

_FOLDER, _FILE = 0o755, 0o644


def write(path: Path, data: bytes) -> None:
    """Write a file, and create the folders above it, so that every user may read it."""
    _make(path.parent)
    path.write_bytes(data)
    path.chmod(_FILE)


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(_FOLDER)


def size_bytes(folder: Path) -> int:
    """Return the bytes of the regular files below a folder in which compilers write and delete meanwhile."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(root, name))
                total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total
