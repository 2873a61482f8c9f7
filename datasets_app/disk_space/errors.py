"""Recognises errors that mean a disk that takes nothing, full or read-only: the system's, SQLite's, PostgreSQL's."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator

from datasets_app.disk_space.room import is_full, is_mounted_read_only

OUT_OF_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
PRIMARY_CODE = 0xFF  # SQLite's extended codes have the plain one in their lowest byte
WITHOUT_ROOM_TOO = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}  # as when the write-ahead log cannot grow
DISK_FULL = "53100"  # PostgreSQL's code, psycopg.errors.DiskFull


def is_out_of_space(error: BaseException | None) -> bool:
    """Return whether `error`, or one of its causes, says that a disk is full or read-only."""
    return any(says_so(cause) for cause in chain(error))


def is_read_only(error: BaseException | None) -> bool:
    """Return whether the disk is read-only, as Linux makes it after a fault of the hardware."""
    return any(
        getattr(cause, "errno", None) == errno.EROFS
        or (code_of(cause) == sqlite3.SQLITE_READONLY and is_mounted_read_only())
        for cause in chain(error)
    )


def code_of(error: BaseException) -> int:
    """Return SQLite's plain code of an error; 0 for any other error."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY_CODE


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
        code = code_of(error)
        if code == sqlite3.SQLITE_READONLY:  # else it is a matter of permissions
            return is_mounted_read_only()
        return code == sqlite3.SQLITE_FULL or (code in WITHOUT_ROOM_TOO and is_full())
    return getattr(error, "sqlstate", None) == DISK_FULL
