"""Starts ingests: one verb for page, API and command."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from datasets_app import audit, jobs
from datasets_app.ingest.recognition import UnknownFormatError, recognise
from datasets_app.ingest.registry import Reader, reader_named
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.models import Ingest, JobState
from datasets_app.roles import Scope, may

log = logging.getLogger(__name__)
UNSAFE = re.compile(r"[^\w.\- ()\[\]]+")
NAME_CHARS = 150


@dataclass(frozen=True)
class Given:
    """One file or folder on the server, and what is said of it."""

    path: Path
    name: str
    format: str = ""
    said: Provenance = field(default_factory=Provenance)
    device: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    sha256: str = ""


def start(files: Iterable[Given], actor: Any, *, wake_worker: bool = True) -> list[Ingest]:
    """Make an ingest of each file and send them on their way, tasks before the results that need them.

    `actor` is a user who needs the right to curate, or None for the shell. A file that no format recognises gets
    a failed ingest that waits for a person to choose; any other trouble raises IngestError before anything is made.
    """
    if actor is not None and not may(actor, Scope.CURATE):
        raise PermissionDenied(f"This needs the right to {Scope.CURATE}; ask an administrator for it.")
    prepared = sorted((prepare(given) for given in files), key=lambda pair: pair.order)
    with transaction.atomic():
        made: list[Ingest] = []
        for one in prepared:
            made.append(make(one, actor, after=made[-1] if made else None))
    if wake_worker:
        for ingest in made:
            wake(ingest)
    return made


@dataclass(frozen=True)
class Prepared:
    given: Given
    reader: Reader | None
    problem: str

    @property
    def order(self) -> int:
        return self.reader.order if self.reader else 100


def prepare(given: Given) -> Prepared:
    """Look at the file. Raises IngestError for one that is not there or empty, and for a format unheard of."""
    file = SourceFile(given.path, given.name, mapping=given.mapping)
    if not given.path.exists():
        raise IngestError(f"There is no file {given.name}.")
    if not file.size_bytes:
        raise IngestError(f"{given.name} is empty.")
    try:
        return Prepared(given, recognise(file, given.format), "")
    except UnknownFormatError as error:
        return Prepared(given, None, str(error))


def make(prepared: Prepared, actor: Any, after: Ingest | None) -> Ingest:
    given, reader = prepared.given, prepared.reader
    source = source_for(given.said, reader.origin if reader else None, given.name)
    file = SourceFile(given.path, given.name)
    ingest = Ingest.objects.create(
        file_name=given.name,
        path=str(given.path),
        size_bytes=file.size_bytes,
        sha256=given.sha256 or digest(given.path),
        format=reader.name if reader else "",
        mapping=given.mapping,
        claimed_device=given.device.strip(),
        source=source,
        created_by=actor,
        after=after,
        state=JobState.QUEUED if reader else JobState.FAILED,
        error=prepared.problem,
    )
    audit.record(actor, "ingest.start", ingest, file=given.name, format=ingest.format, source=source.name)
    return ingest


def wake(ingest: Ingest) -> None:
    """Tell a worker, once the row is there for it to see. An ingest behind another is woken when that one ends.

    A broker that cannot be reached costs nothing but time: the row waits, and the sweeper wakes it later.
    """
    if ingest.state == JobState.QUEUED and (ingest.after is None or ingest.after.is_finished):
        transaction.on_commit(lambda: send(ingest), robust=True)


def send(ingest: Ingest) -> None:
    from datasets_app.tasks import run_ingest

    try:
        run_ingest.apply_async((str(ingest.pk),), retry=False)
    except OperationalError:
        log.warning("the broker cannot be reached; ingest %s waits for the sweeper", ingest.pk)


def wake_next(ingest: Ingest) -> None:
    for follower in Ingest.objects.filter(after=ingest, state=JobState.QUEUED).select_related("after"):
        wake(follower)


def sweep() -> list[Ingest]:
    """Put back what dead workers held, and wake every ingest that waits long enough for its message to be lost."""
    jobs.requeue_expired(Ingest)
    stale = timezone.now() - timedelta(seconds=settings.LEASE_SECONDS)
    waiting = Ingest.objects.filter(state=JobState.QUEUED, created_at__lt=stale).select_related("after")
    for ingest in waiting:
        wake(ingest)
    return list(waiting)


def read_again(
    ingest: Ingest, actor: Any, format_name: str = "", mapping: dict[str, str] | None = None
) -> None:
    """Put a failed ingest back in the queue, with the format that a person chose. Raises IngestError."""
    if actor is not None and not may(actor, Scope.CURATE):
        raise PermissionDenied(f"This needs the right to {Scope.CURATE}; ask an administrator for it.")
    reader = reader_named(format_name or ingest.format)
    if reader is None:
        raise IngestError("Choose a format.")
    if ingest.rows and reader.name != ingest.format:
        raise IngestError(
            f"Rows were read as {ingest.format} already; upload the file again to read it otherwise."
        )
    changed = Ingest.objects.filter(pk=ingest.pk, state=JobState.FAILED).update(
        state=JobState.QUEUED,
        error="",
        format=reader.name,
        mapping=mapping or ingest.mapping,
        finished_at=None,
    )
    if not changed:
        raise IngestError("Only a failed ingest can be read again.")
    ingest.refresh_from_db()
    audit.record(actor, "ingest.again", ingest, format=reader.name)
    wake(ingest)


def digest(path: Path) -> str:
    """sha256 of a file; of a folder, over the names and bytes of its programs in order."""
    whole = hashlib.sha256()
    for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
        if path.is_dir():
            whole.update(file.relative_to(path).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                whole.update(chunk)
    return whole.hexdigest()


def safe_name(name: str) -> str:
    """A file name without path parts or characters that a shell or a header would trip over."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = UNSAFE.sub("_", last).strip(" .")
    return plain[-NAME_CHARS:] or "upload"


def keep_upload(upload: UploadedFile[Any]) -> tuple[Path, str, str]:
    """Stream an upload into a folder of its own: where it lies, its safe name, its sha256. Raises IngestError."""
    name = safe_name(upload.name or "")
    if not upload.size:
        raise IngestError(f"{name} is empty.")
    folder = settings.UPLOAD_DIR / str(uuid.uuid4())
    folder.mkdir(parents=True)
    whole = hashlib.sha256()
    with (folder / name).open("wb") as file:
        for chunk in upload.chunks(1 << 20):
            whole.update(chunk)
            file.write(chunk)
    return folder / name, name, whole.hexdigest()


def drop_upload(path: Path) -> None:
    """Remove an upload that no ingest came of."""
    shutil.rmtree(path.parent)


def in_inbox(name: str) -> Path:
    """A file or folder of the inbox by its name there. Raises IngestError for anything outside of it."""
    inbox = settings.INBOX_DIR.resolve()
    path = (inbox / name.strip().lstrip("/")).resolve()
    if not path.is_relative_to(inbox) or path == inbox or not path.exists():
        raise IngestError(
            f"There is no {name} in the inbox ({inbox}). Only what lies there can be read by name."
        )
    return path
