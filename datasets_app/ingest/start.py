"""Starts ingests: one verb for page, API and command."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.recognition import chosen
from datasets_app.ingest.registry import reader_named
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.ingest.uploads import safe_name
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import send
from datasets_app.models import Ingest, IngestState, JobState

TASK = "ingest.run"


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


@needs(Scope.CURATE)
def start(files: Iterable[Given], actor: Actor, *, wake_worker: bool = True) -> list[Ingest]:
    """Make an ingest of each file and send them on their way. No byte of a file is looked at here.

    Raises IngestError, before anything is made, for a file that is not there or empty, an unknown format, and a
    licence that contradicts the stored one.
    """
    found = [check(given) for given in files]
    group = uuid.uuid4() if len(found) > 1 else None
    with transaction.atomic():
        made: list[Ingest] = []
        for given in sorted(found, key=place):
            made.append(make(given, actor, group, after=made[-1] if made else None))
    if wake_worker:
        for ingest in made:
            wake(ingest)
    return made


def check(given: Given) -> Given:
    """The same, its format by the reader's own name. Raises IngestError."""
    if not given.path.exists():
        raise IngestError(f"There is no file {given.name}.")
    if not SourceFile(given.path, given.name).size_bytes:
        raise IngestError(f"{given.name} is empty.")
    return replace(given, format=chosen(given.format).name) if given.format else given


def place(given: Given) -> int:
    """Files of known formats: tasks before the results that need them. The others are put in order when recognised."""
    reader = reader_named(given.format)
    return reader.order if reader else 0


def make(given: Given, actor: Actor, group: uuid.UUID | None, after: Ingest | None) -> Ingest:
    reader = reader_named(given.format)
    named = bool(reader or given.said.name.strip())
    source = source_for(given.said, reader.origin if reader else None, given.name) if named else None
    ingest = Ingest.objects.create(
        file_name=safe_name(given.name),
        path=str(given.path),
        size_bytes=SourceFile(given.path, given.name).size_bytes,
        sha256=given.sha256,
        format=given.format,
        mapping=given.mapping,
        claimed_device=given.device.strip(),
        said=asdict(given.said),
        source=source,
        created_by=actor.user,
        group=group,
        after=after,
    )
    audit.record(actor, "ingest.start", ingest, file=given.name, format=ingest.format, source=given.said.name)
    return ingest


def wake(ingest: Ingest) -> None:
    """Tell a worker, once the row is there for it to see. An ingest behind another is woken when that one ends.

    A broker that cannot be reached costs nothing but time: the row waits, and the sweeper wakes it later.
    """
    if ingest.state == JobState.QUEUED and (ingest.after is None or ingest.after.is_finished):
        transaction.on_commit(lambda: send(TASK, ingest.pk), robust=True)


def wake_next(ingest: Ingest) -> None:
    for follower in Ingest.objects.filter(after=ingest, state=JobState.QUEUED).select_related("after"):
        wake(follower)


def wake_group(pk: Any) -> None:
    """The first of the files that were given with this one: recognising them may have put another before it."""
    group = Ingest.objects.filter(pk=pk).values("group")
    waiting = Ingest.objects.filter(group__in=group, state=JobState.QUEUED).select_related("after")
    for one in waiting:
        wake(one)


def sweep() -> list[Ingest]:
    """Put back what dead workers held, and wake every ingest that waits long enough for its message to be lost."""
    job_row.requeue_expired(Ingest)
    stale = timezone.now() - timedelta(seconds=settings.LEASE_SECONDS)
    waiting = Ingest.objects.filter(state=JobState.QUEUED, created_at__lt=stale).select_related("after")
    for ingest in waiting:
        wake(ingest)
    return list(waiting)


@needs(Scope.CURATE)
def read_again(
    ingest: Ingest, actor: Actor, format_name: str = "", mapping: dict[str, str] | None = None
) -> None:
    """Put a failed or cancelled ingest back in the queue, with the format that a person chose. Raises IngestError."""
    name = format_name or ingest.format
    reader = reader_named(name)
    if reader is None and (name or ingest.state == IngestState.FAILED):
        raise IngestError("Choose a format.")
    if ingest.rows and reader and reader.name != ingest.format:
        raise IngestError(
            f"Rows were read as {ingest.format} already; upload the file again to read it otherwise."
        )
    ended = Ingest.objects.filter(pk=ingest.pk, state__in=[IngestState.FAILED, IngestState.CANCELLED])
    changed = ended.update(
        state=JobState.QUEUED,
        error="",
        format=reader.name if reader else "",
        mapping=mapping or ingest.mapping,
        finished_at=None,
    )
    if not changed:
        raise IngestError("Only a failed or cancelled ingest can be read again.")
    ingest.refresh_from_db()
    audit.record(actor, "ingest.again", ingest, format=ingest.format)
    wake(ingest)


def digest(path: Path, beat: Callable[[], None] = lambda: None) -> str:
    """sha256 of a file; of a folder, over the names and bytes of its programs in order. Calls `beat` now and then."""
    whole = hashlib.sha256()
    for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
        if path.is_dir():
            whole.update(file.relative_to(path).as_posix().encode() + b"\0")
        with os.fdopen(open_regular(file), "rb") as stream:
            while chunk := stream.read(1 << 20):
                whole.update(chunk)
                beat()
    return whole.hexdigest()
