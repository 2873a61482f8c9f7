"""Keeps the data folder private: it holds sessions, password hashes and the site's key.

Each entry point of the project sets the umask, so that new files are private; `tighten` corrects an older folder, and
`faults` returns what `doctor` prints.
"""

import shlex
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

OTHERS = stat.S_IRWXG | stat.S_IRWXO
# The folders that the site writes. Built modules and static files contain no secret; the folder above
# protects them.
NAMES = (
    "secret-key",
    "broker-access",
    "uploads",
    "exports",
    "logs",
    "redis",
    "redis.sock",
    "workers",
    "inbox",
)
SHOWN = 5  # messages about single paths


class Loose(NamedTuple):
    """A path that accounts other than its owner's can access, with its permission bits."""

    path: Path
    mode: int

    @property
    def is_shared_folder(self) -> bool:
        """True for a folder such as /tmp, which all accounts share."""
        return bool(self.mode & stat.S_ISVTX)


def database_files() -> list[Path]:
    """Return the files of SQLite; none for other databases."""
    default = settings.DATABASES["default"]
    if "sqlite" not in str(default["ENGINE"]):
        return []
    return [Path(f"{default['NAME']}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]


def own_paths() -> Iterator[Path]:
    """Return the data folder, the database, and everything in the folders of uploads and exports."""
    yield settings.DATA_DIR
    yield from database_files()
    for top in (settings.DATA_DIR / name for name in NAMES):
        yield top
        if top.is_dir() and not top.is_symlink():
            yield from top.rglob("*")


def loose_paths() -> Iterator[Loose]:
    """Yield paths that other accounts may access. Links are skipped: they have no permissions of their own."""
    for path in own_paths():
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # not created yet, or deleted since it was listed
            continue
        if mode & OTHERS and not stat.S_ISLNK(mode):
            yield Loose(path, stat.S_IMODE(mode))


def tighten(say: Callable[[str], None]) -> None:
    """Remove the permissions of everybody but the owner from the data folder's files, and report it."""
    changed = 0
    for loose in loose_paths():
        if not loose.is_shared_folder:
            try:
                loose.path.chmod(loose.mode & ~OTHERS)
            except OSError:
                continue  # another account's: `doctor` prints the command that corrects it
            changed += 1
    if changed:
        noun = "path" if changed == 1 else "paths"
        say(f"made {changed} {noun} in {settings.DATA_DIR} private: other accounts could reach them")


def faults() -> Iterator[str]:
    """Yield a sentence for the data folder and for each path in it that others can access, with the command that
    corrects it.
    """
    loose = list(loose_paths())
    for open_path in loose[:SHOWN]:
        if open_path.is_shared_folder:
            yield (
                f"The data folder {open_path.path} is shared by all accounts (mode {open_path.mode:04o}): "
                "set CONCUR_DATA_DIR to a folder of its own"
            )
        else:
            remedy = f"chmod go-rwx {shlex.quote(str(open_path.path))}"
            yield f"Other accounts may reach {open_path.path} (mode {open_path.mode:04o}): {remedy}"
    if len(loose) > SHOWN:
        folder = shlex.quote(str(settings.DATA_DIR))
        yield f"Other accounts may reach {len(loose) - SHOWN} more paths there: chmod -R go-rwx {folder}"
