"""Serialises writers on SQLite, in the order of their requests.

SQLite allows one writer at a time. Waiting connections poll, at most 10 times per second, so that a job which writes
batch after batch nearly always wins, and a person who saves a review meanwhile waits for seconds. Each writer therefore
locks a file beside the database until its transaction has begun. The operating system grants the lock in the order of
requests: at most the current transaction is waited for.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from sqlite3 import Connection
from typing import Any

from django.db.backends.sqlite3 import base

WRITES = ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "INSERT", "UPDATE", "DELETE", "REPLACE")


class DatabaseWrapper(base.DatabaseWrapper):
    def create_cursor(self, name: Any = None) -> Any:
        return self.connection.cursor(factory=partial(WriteLockCursor, write_lock=self.write_lock))

    def write_lock(self) -> AbstractContextManager[None]:
        """Hold the lock file. A database in memory belongs to one process and has locks of its own."""
        return nullcontext() if self.is_in_memory_db() else locked(f"{self.settings_dict['NAME']}-write-lock")


class WriteLockCursor(base.SQLiteCursorWrapper):
    """Takes the lock for statements that begin a write transaction, and for writes outside of one."""

    def __init__(
        self, connection: Connection, write_lock: Callable[[], AbstractContextManager[None]]
    ) -> None:
        super().__init__(connection)
        self.write_lock = write_lock

    def execute(self, query: str, params: Any = None) -> Any:
        with self.lock_for(query):
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self.lock_for(query):
            return super().executemany(query, param_list)

    def lock_for(self, query: str) -> AbstractContextManager[None]:
        is_first = not self.connection.in_transaction and query.lstrip().upper().startswith(WRITES)
        return self.write_lock() if is_first else nullcontext()


@contextmanager
def locked(path: str) -> Iterator[None]:
    with open(path, "ab") as file:  # closing the file releases the lock
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
