"""A connection that a server keeps open beside those of its requests, so that SQLite's log files stay in place.

The last connection to be closed removes them, and the next one needs room on the disk to make them again: on a full
disk no page could be read.
"""

from __future__ import annotations

import sqlite3
from typing import Any


def keep_log_in_place(config: dict[str, Any]) -> sqlite3.Connection | None:
    """A connection that has read once, to be held as long as the process lives. None for another kind of database."""
    if "sqlite" not in config["ENGINE"]:
        return None
    connection = sqlite3.connect(config["NAME"], check_same_thread=False)
    try:
        connection.execute("PRAGMA cache_size=-64")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:  # the requests say what is wrong with it
        connection.close()
        return None
    return connection
