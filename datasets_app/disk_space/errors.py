"""Recognises errors that mean a full disk: the operating system's, SQLite's, PostgreSQL's."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator

from datasets_app.disk_space.room import is_full

OUT_OF_SPACE = {errno.ENOSPC, errno.EDQUOT}
PRIMARY_CODE = 0xFF  # SQLite's extended codes have the plain one in their lowest byte
WITHOUT_ROOM_TOO = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}  # as when the write-ahead log cannot grow
DISK_FULL = "53100"  # PostgreSQL's code, psycopg.errors.DiskFull


def is_out_of_space(error: BaseException | None) -> bool:
    """Return whether `error`, or one of its causes, says that a disk is full."""
    return any(says_so(cause) for cause in chain(error))


def is_of_database_server(error: BaseException | None) -> bool:
    """Return whether the full disk is PostgreSQL's own, which need not be on this machine."""
    return any(getattr(cause, "sqlstate", None) == DISK_FULL for cause in chain(error))


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes and contexts."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in OUT_OF_SPACE
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE
        return code == sqlite3.SQLITE_FULL or (code in WITHOUT_ROOM_TOO and is_full())
    return getattr(error, "sqlstate", None) == DISK_FULL
