"""Takes a backup while the site runs: rows of one moment, and the files of that moment."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection

from concur_site import env
from concur_site.backup import files, rows, schema
from concur_site.backup.backup_file import BackupError, Writer
from concur_site.backup.keys import key_check
from concur_site.backup.tables import tables_of
from datasets_app.curate.versions import site_version
from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.files import HashingStream, write_whole
from datasets_app.export.store import ALIAS

Say = Callable[[str], None]
LEFT_OUT = {
    "inbox": "files that administrators put there by hand",
    "broker": "messages in Redis; the database has every job, and they are sent again",
    "worker": "key, builds and unsent reports of this machine's worker; it gets a new key, and its jobs run again",
    "derived tables": "facet index and text index; built again by the restore",
    "static": "collected static files; collected again",
    "logs": "",
    "settings": "environment variables, passwords and keys among them",
}
BUCKET = "releases' files, which stay in the bucket: back it up by its own means"


@dataclass(frozen=True)
class Taken:
    path: Path
    rows: int
    files: int
    size_bytes: int
    sha256: str


def take_backup(path: Path, say: Say, *, with_secret_key: bool = True) -> Taken:
    """Write a backup of the whole site. Raises BackupError; what is written so far is then deleted."""
    path = new_file(path)
    manifest: dict[str, Any] = {}

    def write(stream: HashingStream) -> None:
        with Writer(stream) as writer:
            manifest.update(fill(writer, say, with_secret_key))
            writer.finish(manifest)

    written = write_whole(path, write)
    path.chmod(0o600)
    total = sum(table["rows"] for table in manifest["tables"].values())
    return Taken(path, total, manifest["files"], written.size_bytes, written.sha256)


def new_file(path: Path) -> Path:
    """Return the file to write: `path`, or one with the time in it where it is a folder or a name without suffix."""
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}: make it, or name a file elsewhere.")
    if not path.suffix and not path.exists():
        path.mkdir()
    if path.is_dir():
        files.delete_left(path.glob(".concur-*.zip-*-*"))
        return path / f"concur-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.zip"
    if path.exists():
        raise BackupError(f"{path} exists already: name another file, or a folder for one with the time.")
    return path


def fill(writer: Writer, say: Say, with_secret_key: bool) -> dict[str, Any]:
    """Write all members but the manifest, and return that."""
    with ExitStack() as until_written:
        with read_snapshot():  # no longer than the tables take: SQLite's log grows meanwhile
            rows.fix_forms()
            about = described()  # reads, and so opens the snapshot before the files are listed
            held = until_written.enter_context(files.held_files())
            say("copying the tables")
            about["tables"] = write_tables(writer)
        if "bucket" in about["left_out"]:
            say(f"not in the backup: {BUCKET}")
        say("copying the files")
        about["files"] = write_files(writer, held)
    about["secret_key"] = write_secret_key(writer, with_secret_key)
    return about


def described() -> dict[str, Any]:
    return {
        "version": site_version(),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "database": connection.vendor,
        "data_folder": str(settings.DATA_DIR),
        "migrations": schema.applied(schema.executor()),
        "left_out": LEFT_OUT | ({"bucket": BUCKET} if ALIAS in settings.STORAGES else {}),
    }


def write_tables(writer: Writer) -> dict[str, dict[str, Any]]:
    found = {}
    for table in tables_of(apps):
        with writer.member(table.member) as stream:
            count = rows.write_rows(table, stream)
        found[table.name] = {"rows": count, "columns": list(table.columns)}
        if table.numbered:
            found[table.name]["last_number"] = rows.last_number(table)
    return found


def write_files(writer: Writer, held: Iterator[files.Held]) -> int:
    count = 0
    for file in held:
        try:
            opened = file.path.open("rb")
        except FileNotFoundError:  # deleted meanwhile, on a file system without hard links
            continue
        with opened, writer.member(file.name) as stream:
            shutil.copyfileobj(opened, stream, files.BLOCK_BYTES)  # type: ignore[misc]
        count += 1
    return count


def write_secret_key(writer: Writer, wanted: bool) -> dict[str, Any]:
    """Write the key that the site generated, if it uses that. Return what the manifest says of the key."""
    path = Path(settings.DATA_DIR) / files.SECRET_KEY
    from_environment = bool(env.text("CONCUR_SECRET_KEY"))
    included = wanted and not from_environment and path.is_file()
    if included:
        with writer.member(f"{files.PREFIX}{files.SECRET_KEY}") as stream:
            stream.write(path.read_bytes())
    return {
        "included": included,
        "from": "CONCUR_SECRET_KEY" if from_environment else "data folder",
        "check": key_check(settings.SECRET_KEY),
    }
