"""`manage.py verify`: request verifications; `--wait` follows them until they are finished."""

import json
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import Sample, Verification, WantedDevice
from datasets_app.models.sample import SampleQuerySet
from eval_app.request import local_run, selection
from eval_app.request.portions import request_in_portions
from eval_app.request.verify import (
    AUTO,
    DEFAULT_PROFILE,
    DEVICE_CHOICES,
    PROFILE_NAMES,
    VerifyError,
)
from eval_app.workers.fleet import Fleet
from eval_app.workers.requirement import FORM

STILL_WAITING = 3


class Command(SiteCommand):
    help = (
        "Request verifications. With --wait, progress goes to stderr and the last line of stdout is JSON: the counts "
        "by outcome. If no worker runs, --wait verifies in this process. Exit status: 0 requested (with --wait: all "
        "finished, whatever the outcomes), 1 nothing was requested, 2 wrong arguments, 3 with --wait: some are queued "
        "for a device that no worker has."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--sample", action="append", metavar="ID", help="may be given several times")
        which.add_argument("--query", metavar="Q", help="as typed on the browse page")
        which.add_argument("--all", action="store_true", help="every sample")
        parser.add_argument("--profile", default=DEFAULT_PROFILE, choices=PROFILE_NAMES)
        parser.add_argument("--device", default=AUTO, choices=DEVICE_CHOICES)
        parser.add_argument("--requires", default="", metavar="WORDS", help=f"what a host must have: {FORM}")
        parser.add_argument("--inspect", action="store_true", help="also inspect: machine code, counters")
        parser.add_argument(
            "--resume", type=uuid.UUID, metavar="BATCH", help="continue a request that was interrupted"
        )
        parser.add_argument("--wait", action="store_true", help="wait until they are finished")

    def handle(self, *args: Any, **options: Any) -> None:
        fleet = Fleet.read()
        served = any(fleet.will_take(kind) for kind in WantedDevice.values)
        here = options["wait"] and not options["requires"] and not served
        ids: list[uuid.UUID] = []
        waiting: Counter[str] = Counter()
        for rows in self.ask(options, send=not here):
            ids += [row.pk for row in rows]
            waiting.update(row.wanted_device for row in rows)
        if not ids:
            raise CommandError("No sample matches; nothing was requested.")
        if not options["wait"]:
            self.stdout.write(json.dumps({"asked": len(ids), "waiting": dict(sorted(waiting.items()))}))
            return
        if here:
            self.stderr.write("No worker runs: verifying in this process.")
            local_run.run(ids, self.say)
        else:
            local_run.follow(ids, self.say)
        self.finish(ids)

    def ask(self, options: dict[str, Any], send: bool) -> Iterator[list[Verification]]:
        """Yield the requested verifications by portions; portions committed before an interruption stay."""
        batch: uuid.UUID | None = options["resume"]
        how = {name: options[name] for name in ("inspect", "requires")} | {"actor": COMMAND, "send": send}
        try:
            samples = self.samples(options)
            if options["query"] is not None:
                how["title"] = selection.words_of(options["query"])
            for rows in request_in_portions(
                samples, options["profile"], options["device"], batch=batch, **how
            ):
                batch = batch or next((row.batch for row in rows if row.batch), None)
                yield rows
        except VerifyError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            resume = f" Continue with --resume {batch} and the same arguments." if batch else ""
            raise CommandError(f"Stopped; the requested verifications stay queued.{resume}") from None

    def samples(self, options: dict[str, Any]) -> SampleQuerySet:
        if options["sample"]:
            return selection.samples_by_id(options["sample"])
        if options["query"] is not None:
            return selection.samples_by_query(options["query"])
        return Sample.objects.all()

    def say(self, text: str) -> None:
        self.stderr.write(text)
        self.stderr.flush()

    def finish(self, ids: list[Any]) -> None:
        """Print the counts by outcome as the last line of stdout, and what is still queued on stderr."""
        rows = local_run.rows_of(ids)
        counts = Counter(row.status for row in rows)
        waiting = [row for row in rows if not row.is_finished]
        fleet = Fleet.read()
        for (device, requirement), count in counts_by_route(waiting):
            self.say(f"{count} on {device}: {fleet.waits_for(device, requirement) or 'queued'}")
        self.stdout.write(json.dumps(dict(sorted(counts.items()))))
        if waiting:
            sys.exit(STILL_WAITING)


def counts_by_route(rows: list[Verification]) -> list[tuple[tuple[str, str], int]]:
    return sorted(Counter((row.wanted_device, row.requirement) for row in rows).items())
