"""`manage.py sweep`: the site's worker with the sweeper in it; `--once`: one sweep, and what it did."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from eval_app.queue import site_worker
from eval_app.queue.sweeper import sweep


class Command(BaseCommand):
    help = "Run the site's background jobs and hand on what dead workers held; --once sweeps once and ends."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one sweep; print what it did as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(json.dumps(asdict(sweep())))
        else:
            site_worker.run()
