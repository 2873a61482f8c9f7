"""`manage.py sweep`: the site's worker with the sweeper in it; `--once`: one sweep and its counts."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from eval_app.site_worker import main as site_worker
from eval_app.site_worker.sweeper import sweep


class Command(BaseCommand):
    help = "Run the site's background jobs and requeue what dead workers held; --once sweeps once and exits."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once and print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(json.dumps(asdict(sweep())))
        else:
            site_worker.run()
