"""`manage.py ingest FILE ...`: ingests files or folders in this process."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import IncomingFile, IngestError, Provenance, run_ingest, start_ingests
from datasets_app.ingest.identify import identify, position
from datasets_app.ingest.refusal_store import refused_file
from datasets_app.ingest.registry import options
from datasets_app.ingest.run import counts
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import Ingest, JobState
from datasets_app.processes.limits import limited_memory

NO_COUNTS = {"rows": 0, "tasks": 0, "samples": 0, "restored": 0, "duplicates": 0, "refused": 0}
POLL_SECONDS = 0.5
REASONS, VALUE_CHARS = 5, 60  # of refused rows, that are printed


class Command(SiteCommand):
    help = (
        "Ingest files. The last line of stdout is JSON: rows read, new tasks and samples, "
        "restored samples (withdrawn when an earlier ingest was undone), "
        "duplicates (rows that added nothing), refused rows and the file to correct them in. Exit status 0: every file "
        "was read to its end, even if some rows were refused; 1: a file failed, or every row was refused, and stderr "
        "says why. "
        "Files of tasks are ingested before the results that need them, in any order of arguments."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        formats = ", ".join(name for name, _ in options())
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or a folder of level folders")
        parser.add_argument(
            "--format", default="", help=f"one of {formats}; default: recognised by the columns"
        )
        parser.add_argument("--source", default="", help="origin of the rows; default: the format's data set")
        parser.add_argument("--url", default="", help="URL of the source")
        parser.add_argument(
            "--licence", default="", help="licence of the source as an SPDX identifier; default: not declared"
        )
        parser.add_argument(
            "--device", default="", help="device the claims were measured on, for rows that do not name one"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="maps a column of a table of your own to a field, such as kernel_code=solution; may be repeated",
        )
        parser.add_argument(
            "--wait", action="store_true", help="no effect: the command always waits for the end of the work"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            files = [self.incoming_file(name, options) for name in options["files"]]
            ingests = start_ingests(files, COMMAND, in_background=False)
        except IngestError as error:
            raise CommandError(str(error)) from error
        with limited_memory(settings.JOB_MEMORY_BYTES):
            identify(ingests[0])
            finished = [self.finish(ingest) for ingest in in_order(ingests)]
        self.stdout.write(json.dumps(summary(finished)))
        if failed := [ingest for ingest in finished if ingest.state != JobState.DONE]:
            raise CommandError(" ".join(f"{ingest.file_name}: {ingest.error}" for ingest in failed))
        if nothing_is_stored(finished):
            raise CommandError(
                "Nothing was stored: every row was refused. Correct the rows and ingest them again."
            )

    def incoming_file(self, name: str, options: dict[str, Any]) -> IncomingFile:
        path = Path(name).resolve()
        pairs = [pair.partition("=") for pair in options["map"]]
        if any(not column for _, _, column in pairs):
            raise CommandError("--map takes FIELD=COLUMN, such as pytorch_code=reference")
        provenance = Provenance(options["source"], options["url"], options["licence"])
        mapping = {field: column for field, _, column in pairs}
        wanted = options["format"] or ("generic" if mapping else "")
        return IncomingFile(path, path.name, wanted, provenance, options["device"], mapping)

    def finish(self, ingest: Ingest) -> Ingest:
        """Run the ingest, or wait for the worker that claimed it first; print one line with the result."""
        run_ingest(ingest.pk)
        ingest.refresh_from_db()
        while not ingest.is_finished:
            if ingest.state == JobState.QUEUED and ingest.error:
                raise CommandError(f"{ingest.file_name}: {ingest.error}")
            time.sleep(POLL_SECONDS)
            ingest.refresh_from_db()
        counted = ", ".join(f"{number:,} {name}" for name, number in counts(ingest).items())
        self.stdout.write(
            f"{ingest.file_name} ({ingest.format or 'unknown format'}): {ingest.state}, {counted}"
        )
        for sentence in (*ingest.column_notes, *refusals(ingest)):
            self.stdout.write(f"  {printable(sentence)}")
        return ingest


def refusals(ingest: Ingest) -> Iterator[str]:
    """Yield a line for each of the first refused rows, and one for the others."""
    rows = ingest.refused_rows.defer("raw").order_by("line", "id")[:REASONS]
    for row in rows:
        value = f" ({row.value[:VALUE_CHARS]})" if row.value else ""
        yield f"line {row.line:,} refused: {row.field} {row.reason}{value}".replace("  ", " ")
    if ingest.refused > len(rows):
        yield f"and {ingest.refused - len(rows):,} more; all of them are in the file of refused rows"


def printable(text: str) -> str:
    """Return the text on one line, without characters that would drive a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def nothing_is_stored(ingests: list[Ingest]) -> bool:
    """Return whether all rows of all files were refused, other than for want of a task that may still come."""
    refused = sum(ingest.refused for ingest in ingests)
    return refused > sum(ingest.awaiting_task for ingest in ingests) and refused == sum(
        ingest.rows for ingest in ingests
    )


def in_order(ingests: list[Ingest]) -> list[Ingest]:
    """Sort the ingests by their dependencies, once their formats are known."""
    recognised = Ingest.objects.filter(pk__in=[ingest.pk for ingest in ingests]).order_by("created_at")
    return sorted(recognised, key=position)


def summary(ingests: list[Ingest]) -> dict[str, Any]:
    """Return the sums of all counts. `refused_file` is a path, null, or a list of paths if several files had
    refused rows.
    """
    by_ingest = [counts(ingest) for ingest in ingests]
    total = {name: sum(count[name] for count in by_ingest) for name in NO_COUNTS}
    files = [str(path) for ingest in ingests if (path := refused_file(ingest))]
    return {**total, "refused_file": files if len(files) > 1 else next(iter(files), None)}
