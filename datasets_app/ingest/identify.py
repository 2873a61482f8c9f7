"""Recognises the formats of queued files, and orders those that were uploaded together: tasks before results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.ingest.preview import stored_peek
from datasets_app.ingest.recognition import UnknownFormatError, recognise
from datasets_app.ingest.registry import reader_named
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.models import Ingest, JobState

LAST = 100  # the position of a file of unknown format


def identify(ingest: Ingest) -> None:
    """Set the formats of this queued ingest and of those uploaded with it. One without a format fails with a reason.

    No file of a group is read before all of them are recognised, so that their order is right from the start.
    """
    together = given_with(ingest)
    changed = [recognise_format(member) for member in together if is_unknown(member)]
    if any(changed) and len(together) > 1:
        put_in_order([member.pk for member in together])


def given_with(ingest: Ingest) -> list[Ingest]:
    """Return the ingest and the queued others of its group, in the order of their upload."""
    if ingest.group is None:
        return [ingest]
    waiting = Ingest.objects.filter(group=ingest.group, state=JobState.QUEUED)
    return list(waiting.select_related("source").order_by("created_at"))


def is_unknown(ingest: Ingest) -> bool:
    """Return whether the file's format, or what its columns mean, has still to be found out."""
    reader = reader_named(ingest.format)
    return not ingest.format or (reader is not None and reader.lacks_columns(ingest.mapping))


def recognise_format(ingest: Ingest) -> bool:
    """Recognise the format of one file. Return whether this process was the one that stored it."""
    fields = findings(ingest)
    waiting = Ingest.objects.filter(pk=ingest.pk, state=JobState.QUEUED, format=ingest.format)
    return bool(waiting.update(**fields))


def findings(ingest: Ingest) -> dict[str, Any]:
    """Return the fields that recognition sets."""
    provenance = Provenance(**ingest.provenance)
    file = SourceFile(Path(ingest.path), ingest.file_name, mapping=ingest.mapping)
    try:
        reader = recognise(file, ingest.format)
    except IngestError as error:
        seen = stored_peek(error.peek) if isinstance(error, UnknownFormatError) else {"problem": str(error)}
        source = ingest.source or source_for(provenance, None, ingest.file_name)
        return failed(error) | {"format": "", "seen": seen, "source": source}
    try:
        source = ingest.source or source_for(provenance, reader.origin, ingest.file_name)
    except IngestError as error:
        return failed(error) | {"format": reader.name}
    return {"format": reader.name, "mapping": file.mapping, "source": source}


def failed(error: IngestError) -> dict[str, Any]:
    return {"state": JobState.FAILED, "error": str(error), "finished_at": timezone.now()}


@transaction.atomic
def put_in_order(ids: list[Any]) -> None:
    """Make each ingest follow the one before it."""
    waiting = Ingest.objects.filter(pk__in=ids, state=JobState.QUEUED).order_by("created_at")
    before = None
    for following in sorted(waiting, key=position):
        Ingest.objects.filter(pk=following.pk).update(after=before)
        before = following


def position(ingest: Ingest) -> int:
    reader = reader_named(ingest.format)
    return reader.order if reader else LAST
