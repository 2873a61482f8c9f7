"""SQLite lets one connection write at a time, and who waits asks again every so often, at last ten times a second.

A job that writes one portion after another is there first each time, and a person who saves a review meanwhile waits
for seconds. So whoever is about to write takes a turn before: a lock on a file beside the database, held until the
database says yes. The system hands it on in the order of asking: nobody waits for more than what is being written.
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
        return self.connection.cursor(factory=partial(CursorInTurn, turn=self.turn))

    def turn(self) -> AbstractContextManager[None]:
        """A database in memory has one process, and locks of its own."""
        return nullcontext() if self.is_in_memory_db() else turn_at(f"{self.settings_dict['NAME']}-turn")


class CursorInTurn(base.SQLiteCursorWrapper):
    """Takes the turn for what begins a transaction that writes, and for what is one by itself."""

    def __init__(self, connection: Connection, turn: Callable[[], AbstractContextManager[None]]) -> None:
        super().__init__(connection)
        self.turn = turn

    def execute(self, query: str, params: Any = None) -> Any:
        with self.turn_for(query):
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self.turn_for(query):
            return super().executemany(query, param_list)

    def turn_for(self, query: str) -> AbstractContextManager[None]:
        is_first = not self.connection.in_transaction and query.lstrip().upper().startswith(WRITES)
        return self.turn() if is_first else nullcontext()


@contextmanager
def turn_at(path: str) -> Iterator[None]:
    with open(path, "ab") as file:  # closing it gives the turn back
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
