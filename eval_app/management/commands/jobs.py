"""`manage.py jobs`: the engine's jobs for samples, one JSON object per line on stdout."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.management.site_command import SiteCommand
from eval_app.engine import ContractError
from eval_app.queue.job import job_for
from eval_app.request import selection
from eval_app.request.verify import DEFAULT_PROFILE, PROFILE_NAMES, VerifyError


class Command(SiteCommand):
    help = (
        "Write jobs for `python -m eval_app.engine verify`; a job's id is its sample's. The reports go back in by "
        "`manage.py ingest REPORTS.jsonl`. Samples that the engine cannot take are named on stderr and left out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--query", default="", help="as typed on the browse page; default: every sample")
        parser.add_argument("--profile", default=DEFAULT_PROFILE, choices=PROFILE_NAMES)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            samples = selection.samples_by_query(options["query"])
        except VerifyError as error:
            raise CommandError(str(error)) from error
        rows = samples.exclude(body__kernel_code="").with_body().order_by("created_at", "id")
        for sample in rows.iterator(chunk_size=200):
            try:
                job = job_for(sample, options["profile"])
            except ContractError as error:
                self.stderr.write(f"left out {sample.pk}: {error}")
                continue
            self.stdout.write(json.dumps(job, ensure_ascii=False))
