"""`manage.py leaderboard`: runs judged over the same tasks on one device, as on `/leaderboard/`."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.analysis.leaderboard import METRICS, Board, Mean, Run, leaderboard
from datasets_app.analysis.metrics import MetricError
from datasets_app.evidence import devices
from datasets_app.management.site_command import SiteCommand
from datasets_app.management.task_options import add_task_options, chosen_tasks
from datasets_app.models import Sample


class Command(SiteCommand):
    help = (
        "Judge all runs over a set of tasks on one device, the best first: shares that are right and faster, pass@k, "
        "the geometric mean of each task's fastest, each with its 95 % bootstrap interval over tasks. The last line of "
        "stdout is JSON. `evaluate` has all metrics of one run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_task_options(parser)
        parser.add_argument(
            "--device",
            default="",
            help="the device's whole name; default: the reference device, or that with most of their evidence",
        )
        parser.add_argument("-p", type=float, default=1.0, help="of fast_p")
        parser.add_argument("-k", type=int, default=1, help="of pass@k")
        parser.add_argument("--by", default="faster", choices=list(METRICS), help="the metric of the order")

    def handle(self, *args: Any, **options: Any) -> None:
        tasks = chosen_tasks(options)
        of_tasks = Sample.objects.in_use().filter(task__in=tasks.values("pk"))
        device = options["device"] or devices.device_of(of_tasks)
        try:
            board = leaderboard(tasks, device, options["p"], options["k"], options["by"])
        except MetricError as error:
            raise CommandError(f"This cannot be judged: {error}.") from error
        if not board.runs:
            raise CommandError(
                "Nothing has been verified yet: `manage.py verify --query source:NAME --wait`."
            )
        self.stdout.write(f"{board.tasks:,} tasks on {device}, by {board.by}")
        for number, run in enumerate(board.runs, 1):
            shown = ", ".join(f"{name} {words(of(run))}" for name, of in METRICS.items())
            self.stdout.write(f"{number:3} {run.name}: {shown}")
        self.stdout.write(json.dumps(facts(board)))


def words(found: Mean | None) -> str:
    return "–" if found is None else f"{found.value:.3f} ({found.low:.2f} to {found.high:.2f})"


def facts(board: Board) -> dict[str, Any]:
    set_of_tasks = {"device": board.device, "tasks": board.tasks, "tasks_sha256": board.tasks_sha256}
    asked = {"p": board.p, "k": board.k, "by": board.by}
    return {**set_of_tasks, **asked, "runs": list(map(row, board.runs)), "unverified": board.unverified}


def row(run: Run) -> dict[str, Any]:
    metrics = {name: found and asdict(found) for name, of in METRICS.items() for found in [of(run)]}
    judged = run.judged
    counted = {"per_task": judged.per_task, "outcomes": judged.outcomes, "undecided_in": judged.undecided_in}
    return {"source": run.name, **counted, **metrics}
