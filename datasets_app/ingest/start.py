"""Starts ingests, for pages, the API and commands alike."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.recognition import chosen
from datasets_app.ingest.registry import reader_named
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile, files_in
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.ingest.uploads import safe_name
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Ingest, IngestState, JobState
from datasets_app.models.ingest import STUCK_AFTER

TASK = "ingest.run"


@dataclass(frozen=True)
class IncomingFile:
    """A file or folder on the server that is to be ingested, with its stated provenance."""

    path: Path
    name: str
    format: str = ""
    provenance: Provenance = field(default_factory=Provenance)
    device: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    sha256: str = ""


@needs(Scope.CURATE)
def start_ingests(files: Iterable[IncomingFile], actor: Actor, *, in_background: bool = True) -> list[Ingest]:
    """Create one ingest per file and enqueue them. Their contents are not read here.

    Raises IngestError, before anything is created, for a missing or empty file, an unknown format, or a licence that
    contradicts the stored one. With `in_background=False` the caller runs them.
    """
    checked = [check(file) for file in files]
    group = uuid.uuid4() if len(checked) > 1 else None
    with transaction.atomic():
        ingests: list[Ingest] = []
        for file in sorted(checked, key=position):
            ingests.append(create(file, actor, group, after=ingests[-1] if ingests else None))
    if in_background:
        for ingest in ingests:
            enqueue_if_first(ingest)
    return ingests


def check(file: IncomingFile) -> IncomingFile:
    """Return the file with its format spelled as the reader's name. Raises IngestError."""
    if not file.path.exists():
        raise IngestError(f"There is no file {file.name}.")
    if not SourceFile(file.path, file.name).size_bytes:
        raise IngestError(f"{file.name} is empty.")
    return replace(file, format=chosen(file.format).name) if file.format else file


def position(file: IncomingFile) -> int:
    """Return the file's place among those uploaded together: tasks come before the results that need them.

    Files of unknown formats are ordered when they are recognised.
    """
    reader = reader_named(file.format)
    return reader.order if reader else 0


def create(file: IncomingFile, actor: Actor, group: uuid.UUID | None, after: Ingest | None) -> Ingest:
    reader = reader_named(file.format)
    named = bool(reader or file.provenance.name.strip())
    source = source_for(file.provenance, reader.origin if reader else None, file.name) if named else None
    ingest = Ingest.objects.create(
        file_name=safe_name(file.name),
        path=str(file.path),
        size_bytes=SourceFile(file.path, file.name).size_bytes,
        sha256=file.sha256,
        format=file.format,
        mapping=file.mapping,
        claimed_device=file.device.strip(),
        provenance=asdict(file.provenance),
        source=source,
        created_by=actor.user,
        group=group,
        after=after,
    )
    source_name = file.provenance.name
    audit.record(actor, "ingest.start", ingest, file=file.name, format=ingest.format, source=source_name)
    return ingest


def enqueue_if_first(ingest: Ingest) -> None:
    """Send the ingest's message unless it follows another one, whose end sends it."""
    if ingest.state == JobState.QUEUED and (ingest.after is None or ingest.after.is_finished):
        enqueue(TASK, ingest.pk)


def enqueue_next(ingest: Ingest) -> None:
    """Send the messages of the ingests that waited for this one."""
    for follower in Ingest.objects.filter(after=ingest, state=JobState.QUEUED).select_related("after"):
        enqueue_if_first(follower)


def enqueue_group(pk: Any) -> None:
    """Send the message of the first ingest of this one's group: recognition may have put another before it."""
    group = Ingest.objects.filter(pk=pk).values("group")
    for ingest in Ingest.objects.filter(group__in=group, state=JobState.QUEUED).select_related("after"):
        enqueue_if_first(ingest)


@needs(Scope.CURATE)
def read_again(
    ingest: Ingest, actor: Actor, format_name: str = "", mapping: dict[str, str] | None = None
) -> None:
    """Queue a failed or cancelled ingest again, with the format that a person chose. Raises IngestError."""
    name = format_name or ingest.format
    reader = reader_named(name)
    if reader is None and (name or ingest.state == IngestState.FAILED):
        raise IngestError("Choose a format.")
    remapped = bool(mapping) and mapping != ingest.mapping
    if ingest.rows and reader and (reader.name != ingest.format or remapped):
        how = "with another mapping of its columns" if reader.name == ingest.format else f"as {ingest.format}"
        raise IngestError(f"Rows were read {how} already; upload the file again to read it otherwise.")
    ended = Ingest.objects.filter(pk=ingest.pk, state__in=[IngestState.FAILED, IngestState.CANCELLED])
    changed = ended.update(
        state=JobState.QUEUED,
        error="",
        format=reader.name if reader else "",
        mapping=mapping or ingest.mapping,
        finished_at=None,
        lease_until=timezone.now() + STUCK_AFTER,  # it waits since now, not since it was created
    )
    if not changed:
        raise IngestError("Only a failed or cancelled ingest can be read again.")
    ingest.refresh_from_db()
    audit.record(actor, "ingest.again", ingest, format=ingest.format)
    enqueue_if_first(ingest)


def digest(path: Path, heartbeat: Callable[[], None] = lambda: None) -> str:
    """Return the SHA-256 of a file, or of the names and bytes of a folder's files in order."""
    whole = hashlib.sha256()
    for file in [path] if path.is_file() else files_in(path):
        if path.is_dir():
            whole.update(file.relative_to(path).as_posix().encode() + b"\0")
        with os.fdopen(open_regular(file), "rb") as stream:
            while chunk := stream.read(1 << 20):
                whole.update(chunk)
                heartbeat()
    return whole.hexdigest()
