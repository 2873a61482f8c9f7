"""Checkpoints of SQLite's write-ahead log, made in a second thread while rows are stored.

Otherwise every batch would wait for them: a fifth of its time, half of that for the disk. The log restarts when all of
it is written back, so every few batches the storing thread waits for a complete checkpoint; this keeps the log small.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

from django.db import connection

PORTIONS = 8  # about 100 MB of log if rows are long


class Checkpoints(AbstractContextManager["Checkpoints"]):
    """Call `stored` after each batch. Does nothing if the database has no write-ahead log."""

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
    """Return the path of a database with a write-ahead log, or ''."""
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
    """Write back the log as far as no reader needs it. Blocks neither readers nor writers."""
    own = sqlite3.connect(path)
    try:
        own.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        own.close()
