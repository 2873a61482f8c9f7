"""Room on the site's disks, and the size of its database."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from datasets_app import disk_space
from datasets_app.disk_space.room import temporary_disk


@dataclass(frozen=True)
class DiskState:
    name: str  # data or temporary
    folder: Path
    free_bytes: int
    size_bytes: int


def disks() -> list[DiskState]:
    """Return the disks that the site writes to."""
    shown = {"data": disk_space.data_disk(), "temporary": temporary_disk()}
    return [
        DiskState(name, disk.folder, disk.free_bytes, shutil.disk_usage(disk.folder).total)
        for name, disk in shown.items()
    ]


def database_bytes() -> int:
    """Return the size of the database: SQLite's file with its log, or what PostgreSQL says."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(str(settings.DATABASES["default"]["NAME"]))
    parts = [path, path.with_name(f"{path.name}-wal")]
    return sum(part.stat().st_size for part in parts if part.is_file())
