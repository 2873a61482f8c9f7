"""`manage.py maintenance KIND`: updates derived data in this process."""

import sys
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.jobs import job_row
from datasets_app.maintenance import runs
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import JobState, MaintenanceKind, MaintenanceRun

POLL_SECONDS = 0.5


class Command(SiteCommand):
    help = (
        "Update derived data: `neighbours` (the index of similar kernels), `tokens` (trace lengths, by the "
        "current tokenizer), `search` (texts that are not indexed yet), `evidence` (evidence per device), "
        "`verdicts` (of samples with several reviews, by the current policy). "
        "An interrupted run continues where it stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=MaintenanceKind.values)

    def handle(self, *args: Any, **options: Any) -> None:
        job = runs.request(options["kind"], COMMAND, in_background=False)
        try:
            runs.run(job.pk, on_batch=self.say)
        except KeyboardInterrupt:
            job_row.give_back_held()
            raise CommandError(
                "Stopped; finished batches are kept. Run the command again to continue."
            ) from None
        self.wait_for(job)
        if job.state == JobState.FAILED:
            raise CommandError(job.error)
        self.stdout.write(f"{job.get_kind_display()}: {job.done:,} brought up to date")

    def say(self, job: MaintenanceRun) -> None:
        if sys.stderr.isatty():
            left = "" if job.seconds_left is None else f", {job.seconds_left} s left"
            self.stderr.write(f"\r{job.done:,} of {job.total:,}{left}   ", ending="")

    def wait_for(self, job: MaintenanceRun) -> None:
        """Wait for a run that a worker claimed first, or for another run of its kind."""
        job.refresh_from_db()
        while not job.is_finished:
            time.sleep(POLL_SECONDS)
            runs.run(job.pk, on_batch=self.say)
            job.refresh_from_db()
