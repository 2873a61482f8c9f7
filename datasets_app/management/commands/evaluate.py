"""`manage.py evaluate SOURCE`: judges a run over a set of tasks; what is missing counts as wrong."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.analysis.evaluation import evaluate
from datasets_app.analysis.metrics import MetricError
from datasets_app.evidence import devices
from datasets_app.management.site_command import SiteCommand
from datasets_app.management.task_options import add_task_options, chosen_tasks
from datasets_app.models import Sample, Source


class Command(SiteCommand):
    help = (
        "Judge the samples of a source (a KernelBench run, a synthesis) over a set of tasks on one device: "
        "fast_p, pass@k, best@k, the geometric mean of speedups, the area under fast_p. Every task counts once; a "
        "candidate that is missing or undecided is wrong. The last line of stdout is JSON; runs with the same "
        "`tasks_sha256`, `device` and `per_task` can be compared."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source")
        add_task_options(parser)
        parser.add_argument(
            "--device",
            default="",
            help="the device's whole name; default: the reference device, or that with most of its evidence",
        )
        parser.add_argument(
            "--per-task",
            type=int,
            default=None,
            help="candidates that were asked for; default: those of the task with most",
        )
        parser.add_argument("-p", type=float, nargs="+", default=[1.0, 1.5, 2.0], help="of fast_p")
        parser.add_argument("-k", type=int, nargs="+", default=[1], help="of pass@k, fast_p@k and best@k")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"No source is called {options['source']!r}.")
        device = options["device"] or devices.device_of(Sample.objects.filter(source=source))
        if not device:
            raise CommandError(
                "Nothing has been verified yet: `manage.py verify --query source:NAME --wait`."
            )
        tasks = chosen_tasks(options)
        try:
            judged = evaluate(source, tasks, device, options["per_task"])
        except MetricError as error:
            raise CommandError(f"This cannot be judged: {error}.") from error
        metrics = judged.metrics(options["p"], options["k"])
        low, high = judged.interval(1.0)
        self.stdout.write(
            f"{source.name} on {device}: {len(judged.results):,} tasks, {judged.per_task} candidates each"
        )
        for name, value in metrics.items():
            shown = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
            self.stdout.write(f"  {name:24} {shown}")
        self.stdout.write(f"  fast_1 is from {low:.4f} to {high:.4f} with 95 % confidence over tasks")
        self.stdout.write("  " + ", ".join(f"{n:,} {name}" for name, n in judged.outcomes.items()))
        facts = {
            "source": source.name,
            "device": device,
            "tasks": len(judged.results),
            "tasks_sha256": judged.tasks_sha256,
        }
        counted = {
            "per_task": judged.per_task,
            "outcomes": judged.outcomes,
            "undecided_in": judged.undecided_in,
            "metrics": metrics,
        }
        self.stdout.write(json.dumps({**facts, **counted}))
