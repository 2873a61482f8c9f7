from __future__ import annotations

import shutil
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from datasets_app.bulk.verb import Verb, samples
from datasets_app.bulk.verbs.export_facts import Facts, Row
from datasets_app.export.columns import OF_CONTENT, file_row
from datasets_app.export.files import HashingStream, write_whole
from datasets_app.export.formats import FORMATS
from datasets_app.jobs.heartbeat import heartbeat_thread
from datasets_app.models import BulkAction, Sample

FORMAT = "jsonl"
KEPT_SECONDS = 7 * 24 * 3600


def folder() -> Path:
    """Return the folder of exports beside those of releases, which cannot begin with a dot."""
    return Path(settings.EXPORT_DIR) / ".selections"


def file_of(bulk: BulkAction) -> Path:
    return folder() / f"{bulk.pk}.{FORMATS[FORMAT].suffix}"


def parts_of(bulk: BulkAction) -> Path:
    return folder() / f"{bulk.pk}.parts"


def part_of(bulk: BulkAction) -> Path:
    """Return the path of a group's rows, named after the number of earlier rows, so that a repeated group replaces
    itself.
    """
    return parts_of(bulk) / f"{bulk.seen:012}.{FORMATS[FORMAT].suffix}"


class ExportSamples(Verb):
    """Exports samples to a JSON Lines file."""

    name = "export"
    title = "Export"
    always_a_job = True
    group = 250  # a row may hold 400 KB of text

    def begin(self, bulk: BulkAction) -> ExportRun:
        return ExportRun(bulk)

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        raise NotImplementedError("an export begins with its facts: begin()")

    def did(self, bulk: BulkAction) -> str:
        return f"Exported {samples(bulk.changed)} as JSON Lines"


class ExportRun(ExportSamples):
    """An export in progress: the facts of its samples at one moment, joined with their texts, which never change."""

    def __init__(self, bulk: BulkAction) -> None:
        self.facts = Facts(folder() / f"{bulk.pk}.facts")
        self.facts.fix(bulk)

    def numbers(self, bulk: BulkAction) -> array[int]:
        return self.facts.numbers()

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        written: list[UUID] = []
        rows = self.facts.of(ids)
        write_whole(part_of(bulk), lambda stream: written.extend(write_group(stream, ids, rows)))
        return written

    def complete(self, bulk: BulkAction) -> None:
        forget_old_files()
        parts = sorted(parts_of(bulk).glob("*"))
        with heartbeat_thread(bulk):
            self.done = write_whole(file_of(bulk), lambda stream: join(stream, parts))

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        transaction.on_commit(lambda: self.forget_parts(bulk))  # until then another worker may need them
        return {
            "url": reverse("bulk-file", args=[bulk.pk]),
            "link": "Download",
            "note": note(self.done.size_bytes, bulk),
            "sha256": self.done.sha256,
        }

    def forget_parts(self, bulk: BulkAction) -> None:
        self.facts.forget()
        shutil.rmtree(parts_of(bulk), ignore_errors=True)


def note(size_bytes: int, bulk: BulkAction) -> str:
    description = f"{size_bytes / 1e6:,.1f} MB, as of {bulk.started_at:%Y-%m-%d %H:%M} UTC; kept for a week"
    gone = bulk.total - bulk.changed
    return f"{description}; {samples(gone)} of {bulk.total:,} deleted meanwhile" if gone > 0 else description


def write_group(stream: HashingStream, ids: Sequence[UUID], facts: dict[UUID, Row]) -> Iterator[UUID]:
    writer = FORMATS[FORMAT].open(cast(BinaryIO, stream))
    rows = Sample.objects.filter(pk__in=ids).order_by()
    contents = {
        pk: {column.name: value for column, value in zip(OF_CONTENT, values, strict=True)}
        for pk, *values in rows.values_list("pk", *(column.path for column in OF_CONTENT))
    }
    for pk in (pk for pk in ids if pk in contents and pk in facts):
        writer.write(file_row(facts[pk] | contents[pk]))
        yield pk
    writer.close()


def join(stream: HashingStream, parts: list[Path]) -> None:
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(2**20):
                stream.write(block)


def forget_old_files() -> None:
    """Delete files that were kept long enough, and what exports that failed left."""
    oldest = time.time() - KEPT_SECONDS
    for path in folder().glob("*.*"):
        with suppress(FileNotFoundError):  # another worker deletes them too
            if path.stat().st_mtime >= oldest:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
