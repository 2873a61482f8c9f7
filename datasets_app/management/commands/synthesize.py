"""`manage.py synthesize start | refine | continue | list`: asks a model for candidates, in this process."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest.rows import IngestError
from datasets_app.management.site_command import SiteCommand
from datasets_app.management.task_options import add_task_options, chosen_tasks
from datasets_app.models import Synthesis
from datasets_app.processes.limits import limited_memory
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.templates import templates
from datasets_app.synthesize.verbs import LIMITS, Plan, go_on, start
from datasets_app.synthesize.verifying import profiles, requested

NO_VERIFICATION = "none"
MOST_COST_HELP = "in the endpoint's currency, as it states costs or CONCUR_PRICES says; default: no limit"


class Command(SiteCommand):
    help = (
        "Ask a model for kernels. Its endpoint is a name in CONCUR_ENDPOINTS, its key is in CONCUR_ENDPOINT_KEYS. "
        "The last line of stdout is JSON: candidates by state, reasons of those that were not stored, tokens. "
        "Exit status 1: it ended before every candidate was asked for, and stderr says why; `continue` goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        begin = actions.add_parser("start", help="ask for candidates")
        add_start(begin)
        further = actions.add_parser("continue", help="ask again for what waits and what was never answered")
        further.add_argument("name")
        turn = actions.add_parser(
            "refine", help="ask for the next turn: what failed or is too slow, with feedback"
        )
        add_refine(turn)
        for command in (begin, turn):
            command.add_argument(
                "--verify",
                default="quick",
                choices=[*profiles(), NO_VERIFICATION],
                help="request verification of the samples under this profile at the end; default: quick",
            )
            command.add_argument(
                "--inspect", action="store_true", help="collect SASS and the profiler's counters then"
            )
        for command in (begin, turn, further):
            command.add_argument(
                "--most-tokens", type=int, default=None, help="of prompts and answers; default: no limit"
            )
            command.add_argument("--most-cost", type=float, default=None, help=MOST_COST_HELP)
        actions.add_parser("list", help="list the syntheses")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            does = {"start": self.begin, "refine": self.refine, "continue": self.go_on, "list": self.list}
            does[options["action"]](options)
        except (SynthesisError, IngestError) as error:
            raise CommandError(str(error)) from error

    def begin(self, options: dict[str, Any]) -> None:
        sampling = {name: options[name] for name in LIMITS if options[name] is not None}
        if options["logprobs"]:
            sampling["logprobs"] = True
        named = (
            "name",
            "endpoint",
            "model",
            "template",
            "hardware",
            "per_task",
            "seed",
            "at_once",
            "inspect",
        )
        limits = ("requests_a_minute", "most_tokens", "most_cost", "licence")
        plan = Plan(
            sampling=sampling, verify=profile(options), **{name: options[name] for name in (*named, *limits)}
        )
        tasks = chosen_tasks(options, options["limit"])
        self.finish(start(plan, tasks, COMMAND, in_background=False))

    def refine(self, options: dict[str, Any]) -> None:
        wanted = Refinement(
            verify=profile(options),
            **{name: options[name] for name in Refinement.__dataclass_fields__ if name != "verify"},
        )
        self.finish(refine(wanted, named(options["of"]), COMMAND, in_background=False))

    def go_on(self, options: dict[str, Any]) -> None:
        synthesis = named(options["name"])
        limits = {name: options[name] for name in ("most_tokens", "most_cost")}
        go_on(synthesis, COMMAND, **limits, in_background=False)
        self.finish(synthesis)

    def finish(self, synthesis: Synthesis) -> None:
        with limited_memory(settings.JOB_MEMORY_BYTES):
            run_synthesis(synthesis.pk)
        synthesis.refresh_from_db()
        if verification := requested(synthesis):
            self.stderr.write(verification)
        candidates = synthesis.candidates.all()
        summary = {"name": synthesis.name, "state": synthesis.state, **candidates.tally()}
        self.stdout.write(
            json.dumps(
                {
                    **summary,
                    "reasons": dict(candidates.reasons()),
                    "tokens": candidates.tokens(),
                    "cost": candidates.cost(),
                }
            )
        )
        if why := synthesis.error or synthesis.stopped:
            raise CommandError(why)

    def list(self, options: dict[str, Any]) -> None:
        for synthesis in Synthesis.objects.all():
            counted = ", ".join(f"{n:,} {state}" for state, n in synthesis.candidates.tally().items() if n)
            self.stdout.write(f"{synthesis.name} ({synthesis.model}): {synthesis.state}, {counted}")


def add_start(begin: CommandParser) -> None:
    begin.add_argument("name", help="of the synthesis, and of its samples' source")
    begin.add_argument("--endpoint", required=True)
    begin.add_argument("--model", required=True, help="as the endpoint calls it")
    begin.add_argument("--template", default="zero-shot", help=f"one of {', '.join(templates())}")
    begin.add_argument(
        "--hardware", default="", help="facts about the GPU, for the prompt with a place for them"
    )
    add_task_options(begin)
    begin.add_argument("--limit", type=int, default=None, metavar="TASKS", help="the first of these by name")
    begin.add_argument("--per-task", type=int, default=1, metavar="CANDIDATES")
    for name in LIMITS:
        kind = int if name == "max_tokens" else float
        begin.add_argument(f"--{name.replace('_', '-')}", type=kind, default=None)
    begin.add_argument(
        "--logprobs", action="store_true", help="keep the log-probability of each token of the answers"
    )
    begin.add_argument("--seed", type=int, default=None, help="of a task's first candidate; default: drawn")
    begin.add_argument("--at-once", type=int, default=8, metavar="REQUESTS")
    begin.add_argument("--requests-a-minute", type=int, default=0, help="0: no limit")
    begin.add_argument("--licence", default="", help="of what the model writes, as an SPDX identifier")


def add_refine(turn: CommandParser) -> None:
    turn.add_argument("name", help="of the new synthesis")
    turn.add_argument("--of", required=True, help="the synthesis whose verified samples are refined")
    turn.add_argument("--until", type=float, default=1.0, help="a speedup that is good enough; default: 1")
    turn.add_argument(
        "--per-parent", type=int, default=1, metavar="ANSWERS", help="to each sample; default: 1"
    )
    turn.add_argument(
        "--told-turns", type=int, default=1, help="earlier turns that the model is told of; default: 1"
    )
    turn.add_argument("--judge-endpoint", default="", help="of a judge that writes advice; default: none")
    turn.add_argument("--judge-model", default="")


def named(name: str) -> Synthesis:
    found = Synthesis.objects.select_related("source").filter(name=name).first()
    if found is None:
        raise CommandError(f"No synthesis is called {name!r}: `synthesize list` lists them.")
    return found


def profile(options: dict[str, Any]) -> str:
    return "" if options["verify"] == NO_VERIFICATION else str(options["verify"])
