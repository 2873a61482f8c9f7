"""What several processes of a run make once: the first that asks makes it, while the others wait, and all copy it."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def alone(made: Path) -> Iterator[None]:
    """Keep other processes out of the block while they want to make the same."""
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return the run's folder of this name, which `make` fills. Should it fail, the next process tries again."""
    folder = Path(os.environ["CONCUR_DATA_DIR"]) / "once" / name
    folder.parent.mkdir(exist_ok=True)
    with alone(folder):
        if not folder.exists():
            draft = folder.with_suffix(".draft")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            make(draft)
            draft.rename(folder)
    return folder


@contextmanager
def migrated_once(database: Path) -> Iterator[None]:
    """Put the run's migrated SQLite file at `database`; the first worker makes it of what the block leaves there.

    The block migrates the file in any case, which changes nothing in a copy.
    """
    template = database.with_name(
        f"migrated-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}.sqlite3"
    )
    database.unlink(missing_ok=True)
    with alone(template):
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
