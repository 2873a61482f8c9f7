"""The disks that the site writes to, and their free space."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

FULL_BYTES = 2**20  # with less than this, a part of the database's log may not fit
PROBE_BYTES = 64 * 2**10


@dataclass(frozen=True)
class Disk:
    """A folder that the site writes in, and the free bytes of its file system."""

    name: str
    folder: Path
    free_bytes: int


def data_disk() -> Disk:
    return Disk("data folder", settings.DATA_DIR, shutil.disk_usage(settings.DATA_DIR).free)


def temporary_disk() -> Disk:
    """Return the disk where uploads arrive and a database sorts what does not fit into memory."""
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR or tempfile.gettempdir())
    return Disk("temporary folder", folder, shutil.disk_usage(folder).free)


def fullest_disk() -> Disk:
    """Return the data folder's disk, or the temporary folder's if it has less space."""
    return min(data_disk(), temporary_disk(), key=lambda disk: disk.free_bytes)


def is_full() -> bool:
    """Return whether the data folder has no room for what the site stores."""
    return data_disk().free_bytes < FULL_BYTES


def is_mounted_read_only() -> bool:
    """Return whether the data folder's file system takes no writes."""
    return bool(os.statvfs(settings.DATA_DIR).f_flag & os.ST_RDONLY)


def try_to_write() -> None:
    """Write a small file in the data folder and drop it. Raises OSError, also where a quota is used up."""
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
        file.write(os.urandom(PROBE_BYTES))
