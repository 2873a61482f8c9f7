"""`manage.py runs list | create | show`: evaluation runs over frozen task sets."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis.metrics import MetricError
from datasets_app.analysis.runs.record import RunError, create_run
from datasets_app.analysis.runs.report import report_on
from datasets_app.analysis.runs.tables import TABLES
from datasets_app.evidence.devices import UnknownDeviceError
from datasets_app.management.site_command import SiteCommand
from datasets_app.management.task_options import add_task_options, chosen_tasks
from datasets_app.models import EvaluationRun, Source


class Command(SiteCommand):
    help = (
        "Evaluation runs: a source judged over a frozen set of tasks, a device and a profile; every synthesis is one, "
        "with all its turns. `show` prints the metrics by level and by turn, the last line is JSON; `--table` prints a "
        "table as CSV instead."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="list the runs")
        create = actions.add_parser("create", help="freeze a run of a source")
        create.add_argument("name")
        create.add_argument("--source", required=True, help="its samples are judged")
        add_task_options(create)
        create.add_argument("--device", default="", help="default: the one with most of its evidence")
        create.add_argument("--profile", default="", help="less strict evidence is undecided; default: any")
        create.add_argument("--per-task", type=int, default=None, help="candidates that were asked for")
        show = actions.add_parser("show", help="judge a run")
        show.add_argument("name")
        show.add_argument("--device", default="", help="its name or one word of it; default: the run's own")
        show.add_argument("--table", choices=TABLES, help="print this table as CSV")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            does = {"list": self.list, "create": self.create, "show": self.show}
            does[options["action"]](options)
        except (RunError, MetricError, UnknownDeviceError) as error:
            raise CommandError(str(error)) from error

    def list(self, options: dict[str, Any]) -> None:
        for run in EvaluationRun.objects.select_related("task_set"):
            self.stdout.write(f"{run.name} ({run.get_kind_display()}): {run.task_set}, {run.generator}")

    def create(self, options: dict[str, Any]) -> None:
        source = Source.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"No source is called {options['source']!r}.")
        tasks = chosen_tasks(options)
        chosen = {name: options[name] for name in ("device", "profile", "per_task")}
        run = create_run(options["name"], source, tasks, COMMAND, **chosen)
        self.stdout.write(f"{run.name}: {run.task_set}, {run.get_kind_display()}")

    def show(self, options: dict[str, Any]) -> None:
        run = EvaluationRun.objects.select_related("task_set", "source").filter(name=options["name"]).first()
        if run is None:
            raise CommandError(f"No run is called {options['name']!r}: `runs list` lists them.")
        report = report_on(run, options["device"])
        if options["table"]:
            self.stdout.write(report.table(options["table"]).to_csv(), ending="")
            return
        self.stdout.write(f"{run.name} on {report.judged.device}: {run.task_set}")
        self.stdout.write("  ".join(("", *report.metrics)))
        for name, values in report.metric_rows:
            shown = (f"{value:.4f}" if isinstance(value, float) else str(value) for value in values)
            self.stdout.write(f"  {name:26} {'  '.join(shown)}")
        facts = {"run": run.name, "device": report.judged.device, "tasks_sha256": run.task_set.sha256}
        turns = [
            {"turn": one.number, "right": one.right, "faster": one.faster, "tokens": one.tokens}
            for one in report.turns
        ]
        self.stdout.write(
            json.dumps({**facts, "outcomes": report.outcomes, "metrics": report.metrics, "turns": turns})
        )
