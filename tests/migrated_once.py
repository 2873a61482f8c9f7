"""One migrated SQLite file for all workers of a run: migrating takes each some seconds of a processor, copying none."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def migrated_once(database: Path) -> Iterator[None]:
    """Put the run's migrated file at `database`; the first worker makes it of what the block leaves there.

    The block migrates the file in any case, which changes nothing in a copy. Others wait while the first one migrates;
    should it fail, the next one does so.
    """
    template = database.with_name(
        f"migrated-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}.sqlite3"
    )
    database.unlink(missing_ok=True)
    with template.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            yield
            copy(database, unfinished := template.with_suffix(".part"))
            unfinished.rename(template)
            return
    copy(template, database)
    yield


def copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)
