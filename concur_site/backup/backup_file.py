"""The backup: a zip whose last member is the manifest with the size and SHA-256 of every other one."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from datasets_app.curate.versions import PACKAGE
from datasets_app.export.files import HashingStream

FORMAT = 1
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 512 * 2**20
BLOCK_BYTES = 2**20
# Files of these kinds hold compressed bytes already.
COMPRESSED = {".parquet", ".arrow", ".gz", ".zst", ".zip", ".xz", ".bz2"}


class BackupError(Exception):
    """A backup or a restore that cannot go on; the message says why and what to do."""


class Writer:
    """Writes members, each hashed, then the manifest. A context that closes the backup, whole or not."""

    def __init__(self, file: Any) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.members: dict[str, list[Any]] = {}

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(*(() if kind is None else (OSError,))):  # of a disk that is full already
            self.zip.close()

    @contextmanager
    def member(self, name: str) -> Iterator[HashingStream]:
        info = zipfile.ZipInfo(name)
        info.external_attr = 0o600 << 16
        stored = PurePosixPath(name).suffix in COMPRESSED
        info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
        with self.zip.open(info, "w", force_zip64=True) as file:
            stream = HashingStream(cast(BinaryIO, file))
            yield stream
        self.members[name] = [stream.size, stream.sha256.hexdigest()]

    def finish(self, manifest: dict[str, Any]) -> None:
        content = {"product": PACKAGE, "format": FORMAT, **manifest, "members": self.members}
        self.zip.writestr(MANIFEST, json.dumps(content, indent=1, ensure_ascii=False))


class BackupFile:
    """A backup that is read: its manifest, and its members as streams."""

    def __init__(self, path: Path) -> None:
        """Open a backup. Raises BackupError if it is none, or cut off, or of a later form."""
        try:
            self.zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise BackupError(f"There is no file {path}.") from None
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BackupError(
                f"{path} is not a whole backup ({error}): it was cut off or altered. Copy it again from where it was "
                "made, or use an earlier one. Nothing was changed."
            ) from None
        self.path = path
        self.manifest = self.read_manifest()
        self.members: dict[str, list[Any]] = self.manifest["members"]

    def read_manifest(self) -> dict[str, Any]:
        try:
            info = self.zip.getinfo(MANIFEST)
            if info.file_size > MAX_MANIFEST_BYTES:
                raise ValueError("its manifest is too large")
            manifest = json.loads(self.zip.read(info))
            is_ours = manifest["product"] == PACKAGE and type(manifest["format"]) is int
            if not is_ours or not isinstance(manifest["members"], dict):
                raise ValueError("another program wrote it")
        except (KeyError, TypeError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
            raise BackupError(
                f"{self.path} is no file of `manage.py backup` ({error}). Nothing was changed."
            ) from None
        if manifest["format"] > FORMAT:
            raise BackupError(
                f"{self.path} was made by a newer version ({manifest.get('version', 'unknown')}), whose backups this "
                "one cannot read: install that version and restore with it. Nothing was changed."
            )
        return cast(dict[str, Any], manifest)

    def check(self) -> None:
        """Read every byte. Raises BackupError if a member is missing, added or altered."""
        names = [info.filename for info in self.zip.infolist()]
        if sorted(names) != sorted([*self.members, MANIFEST]):
            raise self.damaged("its members are not those that its manifest lists")
        for name in self.members:
            with self.stream(name) as stream:
                while stream.read(BLOCK_BYTES):
                    pass

    def damaged(self, what: str) -> BackupError:
        return BackupError(
            f"{self.path} is damaged: {what}. Copy it again from where it was made, or use an earlier one. "
            "Nothing was changed."
        )

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """Open a member for one reading. Raises BackupError if it was not read whole or its bytes are others."""
        try:
            size, sha256 = self.members[name]
            with self.zip.open(name) as file:
                checked = CheckedStream(file, size)
                yield cast(BinaryIO, io.BufferedReader(checked, BLOCK_BYTES))
        except (zipfile.BadZipFile, KeyError, EOFError, OSError, NotImplementedError, ValueError) as error:
            if isinstance(error, OSError) and error.errno:  # of the disk
                raise
            raise self.damaged(f"{name} cannot be read ({error})") from error
        if checked.left or checked.sha256.hexdigest() != sha256:
            raise self.damaged(f"{name} is not what was stored")


class CheckedStream(io.RawIOBase):
    """A member's bytes, hashed as they are read, at most as many as the manifest says."""

    def __init__(self, file: Any, size: int) -> None:
        self.file = file
        self.left = size
        self.sha256 = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(min(len(buffer), self.left + 1))
        if len(data) > self.left:
            raise ValueError("it is longer than its manifest says")
        self.left -= len(data)
        self.sha256.update(data)
        buffer[: len(data)] = data
        return len(data)
