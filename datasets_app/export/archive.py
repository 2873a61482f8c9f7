"""All files of a release as one zip, which takes no room: it is put together while it is sent.

A worker reads it once for its hash, whenever the release's files have changed. A part of it can be read from any byte,
as with a stored file, so downloads are resumed and the server sends it without a thread.
"""

from __future__ import annotations

import hashlib
import io
from bisect import bisect_right
from itertools import accumulate
from typing import BinaryIO, cast

from django.db import transaction
from django.db.models import Case, When
from django.utils import timezone

from datasets_app.export.errors import ExportError
from datasets_app.export.request import TASK, name_of
from datasets_app.export.store import release_files
from datasets_app.export.zip_layout import Member, layout
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.heartbeat import Heartbeat
from datasets_app.models import Export, JobState, Release, WebhookEvent
from datasets_app.models.release import ARCHIVE
from datasets_app.webhooks.events import record_export

PATH = "all.zip"
# The option that holds the SHA-256 of SHA256SUMS, which names the content of every file.
CONTENTS = "sums"
CHUNK_BYTES = 1 << 20
CHANGED = (
    "{path} of release {name} has changed since it was written. An administrator can write it again: manage.py release "
    "rebuild {name}"
)


def request_archive(release: Release, sums_sha256: str) -> None:
    """Queue the archive's hash, unless the archive of the same files has one. `sums_sha256`: of the list of hashes."""
    contents = {CONTENTS: sums_sha256}
    with transaction.atomic():
        row, is_new = Export.objects.get_or_create(
            release=release, path=PATH, defaults={"format": ARCHIVE, "options": contents}
        )
        if not is_new and row.options == contents and row.state != JobState.FAILED:
            return
        # Counted from 0 only once it has ended: a worker that hashes the earlier files must not share the next number.
        attempt = Case(When(state__in=(JobState.QUEUED, JobState.RUNNING), then="attempt"), default=0)
        again = {"state": JobState.QUEUED, "attempt": attempt, "error": "", "finished_at": None}
        Export.objects.filter(pk=row.pk).update(**again, options=contents, size_bytes=0, sha256="")
        enqueue(TASK, row.pk)


def hash_archive(export: Export) -> None:
    """Do the work of the queued row: read the archive once. Raises ExportError, OSError, LeaseLostError."""
    beat, digest = Heartbeat(export), hashlib.sha256()
    with ArchiveFile(export) as archive:
        while chunk := archive.read(CHUNK_BYTES):
            digest.update(chunk)
            beat()
        size_bytes = archive.tell()
        if size_bytes != archive.size_bytes:
            raise ExportError(CHANGED.format(path="A file", name=export.release.name))
    with transaction.atomic():
        job_row.finish(export, size_bytes=size_bytes, sha256=digest.hexdigest())
        record_export(WebhookEvent.EXPORT_FINISHED, export)


class ArchiveFile(io.RawIOBase):
    """The archive of a release's finished files, or `length` bytes of it from `first` on, as a file to read.

    The files are below the release's name, in the order of their paths. Raises ExportError, OSError if a file is not as
    it was written, or the files are not those of `export`; a file that shrinks later ends the reading early.
    """

    def __init__(self, export: Export, first: int = 0, length: int | None = None) -> None:
        super().__init__()
        release = export.release
        self.release, self.store = release, release_files()
        files = list(release.exports.in_package().filter(state=JobState.DONE).order_by("path"))
        if export.options[CONTENTS] not in {file.sha256 for file in files}:
            raise ExportError(CHANGED.format(path="A file", name=release.name))
        self.parts = list(layout(map(self.member, files), release.finished_at or timezone.now()))
        self.ends = list(
            accumulate(part.size_bytes if isinstance(part, Member) else len(part) for part in self.parts)
        )
        self.size_bytes = self.ends[-1]
        self.first = first
        self.length = self.size_bytes - first if length is None else length
        self.position = 0
        self.opened: tuple[int, BinaryIO] | None = None  # the part that is being read

    def member(self, file: Export) -> Member:
        """Return a file as a member. Those that describe the release may be replaced while it is read: they are small,
        and read now."""
        name = name_of(self.release, file.path)
        if file.split:
            content, is_as_written = None, self.store.size_bytes(name) == file.size_bytes
        else:
            content = self.store.read_bytes(name)
            is_as_written = hashlib.sha256(content).hexdigest() == file.sha256
        if not is_as_written:
            raise ExportError(CHANGED.format(path=file.path, name=self.release.name))
        return Member(name, file.size_bytes, file.crc32, content)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.length}[whence]
        self.position = max(0, base + offset)
        return self.position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read from one part, as raw files may return less than was asked for."""
        wanted = min(len(buffer), max(0, self.length - self.position))
        if not wanted:
            return 0
        place = self.first + self.position
        number = bisect_right(self.ends, place)
        start = self.ends[number - 1] if number else 0
        block = self.read_part(number, place - start, min(wanted, self.ends[number] - place))
        buffer[: len(block)] = block
        self.position += len(block)
        return len(block)

    def read_part(self, number: int, offset: int, count: int) -> bytes:
        part = self.parts[number]
        content = part if isinstance(part, bytes) else part.content
        if content is not None:
            return content[offset : offset + count]
        if self.opened is None or self.opened[0] != number:
            self.close_part()
            self.opened = number, self.store.open(cast(Member, part).name)
        stream = self.opened[1]
        stream.seek(offset)
        return stream.read(count)

    def close_part(self) -> None:
        if self.opened is not None:
            self.opened[1].close()
            self.opened = None

    def close(self) -> None:
        self.close_part()
        super().close()
