"""SQLite's log of what was written goes back into the database file beside the storing, by a thread of its own.

Otherwise every portion would wait for that: a fifth of its time, half of it for the disk. The log begins anew whenever
all of it has gone back, so every few portions the storing waits until it has; so long the log stays small.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from django.db import connection

PORTIONS = 8  # 100 MB of log, where rows are long


class Checkpoints(AbstractContextManager["Checkpoints"]):
    """Call `stored` after each portion. Does nothing where the database keeps no such log."""

    def __enter__(self) -> Checkpoints:
        self.path = path_of_log_keeper()
        self.count = 0
        self.last: Future[None] | None = None
        if self.path:
            self.usual = pragma("wal_autocheckpoint")
            pragma("wal_autocheckpoint=0")
            self.thread = ThreadPoolExecutor(1, "checkpoints")
        return self

    def __exit__(self, *_: object) -> None:
        if self.path:
            self.thread.shutdown(wait=True)
            pragma(f"wal_autocheckpoint={self.usual}")

    def stored(self) -> None:
        if not self.path:
            return
        self.count += 1
        is_due = self.count % PORTIONS == 0
        if is_due or self.last is None or self.last.done():
            self.last = self.thread.submit(write_back, self.path)
        if is_due:
            self.last.result()


def path_of_log_keeper() -> str:
    """The file of a database that keeps a write-ahead log, or ''."""
    if connection.vendor != "sqlite" or pragma("journal_mode") != "wal":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA database_list")
        return next(str(path) for _, name, path in cursor.fetchall() if name == "main")


def pragma(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {statement}")
        return (cursor.fetchone() or [None])[0]


def write_back(path: str) -> None:
    """What no reader still needs as it was. Neither readers nor writers wait for it."""
    own = sqlite3.connect(path)
    try:
        own.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        own.close()
