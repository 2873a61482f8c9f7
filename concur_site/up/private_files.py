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
# The folders that the site writes. Built modules and static files hold no secret; the folder above protects them.
NAMES = ("secret-key", "uploads", "exports", "logs", "redis", "redis.sock", "workers", "inbox")
SHOWN = 5  # sentences about single paths


class Loose(NamedTuple):
    """A path that others than its owner can access, with its permission bits."""

    path: Path
    mode: int

    @property
    def is_shared_folder(self) -> bool:
        """Return whether it is a folder such as /tmp, which is everybody's and stays so."""
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
    """Yield what others may reach. A link has no permissions of its own, and what it leads to is not ours."""
    for path in own_paths():
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # not made yet, or deleted since it was listed
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
                continue  # another account's: `doctor` names it with the command that corrects it
            changed += 1
    if changed:
        noun = "path" if changed == 1 else "paths"
        say(f"made {changed} {noun} in {settings.DATA_DIR} private: other accounts could reach them")


def faults() -> Iterator[str]:
    """Return a sentence for the data folder and for each thing in it that others can access, with the command that
    corrects it."""
    loose = list(loose_paths())
    for one in loose[:SHOWN]:
        if one.is_shared_folder:
            yield (
                f"The data folder {one.path} is shared by all accounts (mode {one.mode:04o}): "
                "set CONCUR_DATA_DIR to a folder of its own"
            )
        else:
            mends = f"chmod go-rwx {shlex.quote(str(one.path))}"
            yield f"Other accounts may reach {one.path} (mode {one.mode:04o}): {mends}"
    if len(loose) > SHOWN:
        folder = shlex.quote(str(settings.DATA_DIR))
        yield f"Other accounts may reach {len(loose) - SHOWN} more paths there: chmod -R go-rwx {folder}"
