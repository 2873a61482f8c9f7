"""The files of a site: held still while a backup reads them, and put in place by a restore all together."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from django.conf import settings

from concur_site.backup.backup_file import BackupError, BackupFile
from datasets_app.export.files import is_running

FOLDERS = ("uploads", "exports")
SECRET_KEY = "secret-key"  # noqa: S105  (a file's name)
PREFIX = "files/"
UNFINISHED = re.compile(r"\..+-\d+-[0-9a-f]{12}")  # what datasets_app.export.files renames when it is whole
STAGE = ".restore"
BLOCK_BYTES = 2**20


class Held(NamedTuple):
    """A file's name in the backup, and where it can be read until the backup ends."""

    name: str
    path: Path


def folder(name: str) -> Path:
    return {"uploads": Path(settings.UPLOAD_DIR), "exports": Path(settings.EXPORT_DIR)}[name]


def regular_files(top: Path) -> Iterator[Path]:
    """Yield the whole files below a folder, in an order that does not vary. Links are left out."""
    for where, names, files in os.walk(top):
        names.sort()
        for file in sorted(files):
            path = Path(where, file)
            if not UNFINISHED.fullmatch(file) and path.is_file() and not path.is_symlink():
                yield path


@contextmanager
def held_files() -> Iterator[Iterator[Held]]:
    """Give every file a second name, so that one that is deleted or replaced meanwhile stays what it was.

    On a file system without hard links the files themselves are read.
    """
    Path(settings.DATA_DIR).mkdir(parents=True, exist_ok=True)
    delete_left(Path(settings.DATA_DIR).glob(".backup-*-*"))
    with TemporaryDirectory(prefix=f".backup-{os.getpid()}-", dir=settings.DATA_DIR) as name:
        for top in FOLDERS:
            for path in regular_files(folder(top)):
                link = Path(name, top, path.relative_to(folder(top)))
                link.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(path, link)
                except FileNotFoundError:  # deleted since it was listed
                    continue
                except OSError:
                    link.symlink_to(path)
        yield links(Path(name))


def delete_left(paths: Iterable[Path]) -> None:
    """Delete what backups that were killed left: paths whose last part but one, by hyphens, is their process."""
    for path in paths:
        if not is_running(path.name.split("-")[-2]):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def links(where: Path) -> Iterator[Held]:
    for top in FOLDERS:
        for link, _, files in sorted(os.walk(where / top)):
            for file in sorted(files):
                path = Path(link, file)
                yield Held(f"{PREFIX}{path.relative_to(where).as_posix()}", path)


class Staged:
    """A restore's files beside those of the site, and the exchange of both.

    The former files stay in the stage until the database's transaction is over. A stage that is left was interrupted
    between the two: `undo` puts the former files back.
    """

    def __init__(self) -> None:
        self.stage = Path(settings.DATA_DIR) / STAGE
        self.new, self.old = self.stage / "new", self.stage / "old"
        self.exchanged = False

    def __enter__(self) -> Staged:
        self.undo()
        for top in (self.old, *(self.new / name for name in FOLDERS)):
            top.mkdir(parents=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            # One step, so that a restore that is killed while it deletes the former files is not undone.
            self.old.rename(self.stage / "replaced")
            shutil.rmtree(self.stage, ignore_errors=True)
        else:
            self.undo()

    def fetch(self, backup: BackupFile) -> None:
        """Write the backup's files into the stage. Raises BackupError."""
        needed = sum(size for name, (size, _) in backup.members.items() if name.startswith(PREFIX))
        free = shutil.disk_usage(settings.DATA_DIR).free
        if needed > free:
            raise BackupError(
                f"The files take {needed / 2**30:.1f} GiB and {free / 2**30:.1f} GiB are free in {settings.DATA_DIR}: "
                "make room, or set CONCUR_DATA_DIR to another disk. Nothing was changed."
            )
        for name in backup.members:
            if name.startswith(PREFIX):
                path = self.new / safe(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                with backup.stream(name) as stream, path.open("xb") as file:
                    shutil.copyfileobj(stream, file, BLOCK_BYTES)
                    os.fsync(file.fileno())

    def exchange(self) -> None:
        """Put the new files in the places of the former ones."""
        for path in sorted(self.new.iterdir()):
            place = place_of(path.name)
            if path.name in FOLDERS:
                place.mkdir(parents=True, exist_ok=True)
            if place.exists():
                place.rename(self.old / path.name)
            path.rename(place)

    def undo(self) -> None:
        """Put the former files back, if they were exchanged, and delete the stage."""
        for path in sorted(self.old.iterdir()) if self.old.is_dir() else ():
            place = place_of(path.name)
            shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
            path.rename(place)
        with suppress(FileNotFoundError):
            shutil.rmtree(self.stage)


def is_left() -> bool:
    """Return whether a restore was killed while it exchanged the files."""
    old = Path(settings.DATA_DIR) / STAGE / "old"
    return old.is_dir() and any(old.iterdir())


def place_of(name: str) -> Path:
    return folder(name) if name in FOLDERS else Path(settings.DATA_DIR) / name


def safe(name: str) -> PurePosixPath:
    """Return a member's path within the stage. Raises BackupError for one that would leave it."""
    path = PurePosixPath(name.removeprefix(PREFIX))
    in_folder = len(path.parts) > 1 and path.parts[0] in FOLDERS
    if path.is_absolute() or ".." in path.parts or not (in_folder or str(path) == SECRET_KEY):
        raise BackupError(f"The backup holds a file {name!r} that has no place here. Nothing was changed.")
    return path
