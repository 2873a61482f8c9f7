"""A connection that a server keeps open beside those of its requests, so that SQLite keeps its log files.

Closing the last connection removes them, and creating them again needs disk space: on a full disk no page could be
read.
"""

from __future__ import annotations

import sqlite3
from typing import Any


def keep_log_in_place(config: dict[str, Any]) -> sqlite3.Connection | None:
    """Return a connection that has read once, to be kept as long as the process; None for other databases."""
    if "sqlite" not in config["ENGINE"]:
        return None
    connection = sqlite3.connect(config["NAME"], check_same_thread=False)
    try:
        connection.execute("PRAGMA cache_size=-64")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:  # the requests will report the problem
        connection.close()
        return None
    return connection
