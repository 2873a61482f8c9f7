"""`manage.py turns start | follow | continue | cancel | list`: turns of a synthesis that start by themselves."""

import json
import time
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.query import BrowseFilter
from datasets_app.bulk.run import run_bulk
from datasets_app.management.commands.synthesize import MOST_COST_HELP, named
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import Loop, LoopPolicy, Sample, Synthesis
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import LoopPlan, cancel_loop, continue_loop, start_loop
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import run_loop, used_by
from datasets_app.synthesize.verifying import profiles

POLL_SECONDS = 1.0
DEFAULT = LoopPlan()


class Command(SiteCommand):
    help = (
        "Take a synthesis further, turn by turn: each starts when the one before is verified, until a rule ends them. "
        "The site's workers do that in the background; with --wait, and by `follow`, this process does. The last line "
        "of stdout is JSON then. Exit status 1: the turns did not end well, and stderr says why."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        start = actions.add_parser("start", help="start the turns of a first turn")
        start.add_argument("name", help="of the synthesis")
        start.add_argument("--policy", default=DEFAULT.policy, choices=LoopPolicy.values)
        start.add_argument(
            "--most-turns", type=int, default=DEFAULT.most_turns, help="the first one included"
        )
        start.add_argument(
            "--until", type=float, default=DEFAULT.until, help="a speedup that is good enough; 0: passing is"
        )
        start.add_argument(
            "--patience", type=int, default=None, metavar="TURNS", help="end after so many without a gain"
        )
        start.add_argument("--most-tokens", type=int, default=None, help="of all turns; default: no limit")
        start.add_argument("--most-cost", type=float, default=None, help=f"of all turns; {MOST_COST_HELP}")
        start.add_argument(
            "--told-turns",
            type=int,
            default=DEFAULT.told_turns,
            help="earlier turns that the model is told of",
        )
        start.add_argument(
            "--verify", default=DEFAULT.verify_profile, choices=profiles(), dest="verify_profile"
        )
        start.add_argument(
            "--inspect",
            action="store_true",
            help="collect SASS and the profiler's counters, and tell of these",
        )
        start.add_argument(
            "--judge-endpoint", default="", help="of a judge that writes advice; default: none"
        )
        start.add_argument("--judge-model", default="")
        start.add_argument("--islands", type=int, default=DEFAULT.islands, help="of evolution")
        start.add_argument("--migrate-every", type=int, default=DEFAULT.migrate_every, metavar="TURNS")
        follow = actions.add_parser(
            "follow", help="run what is due in this process until the turns have ended"
        )
        further = actions.add_parser("continue", help="go on with turns that ended")
        further.add_argument("--most-turns", type=int, default=None)
        further.add_argument("--most-tokens", type=int, default=None)
        further.add_argument("--most-cost", type=float, default=None)
        cancel = actions.add_parser("cancel", help="end the turns; what was answered is stored")
        for action in (follow, further, cancel):
            action.add_argument("name", help="of the first turn")
        for action in (start, further):
            action.add_argument("--wait", action="store_true", help="run them in this process")
        actions.add_parser("list", help="list all turns that start by themselves")

    def handle(self, *args: Any, **options: Any) -> None:
        does = {"start": self.start, "follow": self.follow_named, "continue": self.go_on}
        does |= {"cancel": self.cancel, "list": self.list}
        try:
            does[options["action"]](options)
        except SynthesisError as error:
            raise CommandError(str(error)) from error

    def start(self, options: dict[str, Any]) -> None:
        plan = LoopPlan(**{name: options[name] for name in LoopPlan.__dataclass_fields__})
        loop = start_loop(plan, named(options["name"]), COMMAND, in_background=not options["wait"])
        self.follow_or_say(loop, options)

    def go_on(self, options: dict[str, Any]) -> None:
        loop = loop_of(options["name"])
        limits = {name: options[name] for name in ("most_turns", "most_tokens", "most_cost")}
        continue_loop(loop, COMMAND, **limits, in_background=not options["wait"])
        self.follow_or_say(loop, options)

    def cancel(self, options: dict[str, Any]) -> None:
        cancel_loop(loop_of(options["name"]), COMMAND)
        self.stdout.write("No further turn starts.")

    def list(self, options: dict[str, Any]) -> None:
        for loop in Loop.objects.select_related("first", "current"):
            self.stdout.write(f"{loop.first.name}: {loop.policy}, turn {loop.current.turn}, {loop.state}")

    def follow_named(self, options: dict[str, Any]) -> None:
        self.follow(loop_of(options["name"]))

    def follow_or_say(self, loop: Loop, options: dict[str, Any]) -> None:
        if options["wait"]:
            self.follow(loop)
        else:
            self.stdout.write("The turns start when the synthesis is verified: the site's workers see to it.")

    def follow(self, loop: Loop) -> None:
        """Run each turn, its verification and the next start here, unless another worker does."""
        while not loop.is_finished:
            turn = Synthesis.objects.select_related("source", "verify_action").get(pk=loop.current_id)
            self.stderr.write(f"Turn {turn.turn}: {turn.name}")
            if not turn.is_finished:
                run_synthesis(turn.pk)
                turn.refresh_from_db()
            self.verify(turn, loop)
            run_loop(loop.pk, in_background=False)
            loop.refresh_from_db()
            if not loop.is_finished and loop.current_id == turn.pk:
                time.sleep(POLL_SECONDS)  # another worker has it
        self.finish(loop)

    def verify(self, turn: Synthesis, loop: Loop) -> None:
        """Verify the samples of a turn that have no outcome."""
        if turn.verify_action and not turn.verify_action.is_finished:
            run_bulk(turn.verify_action.pk)
        if not Sample.objects.in_use().filter(source=turn.source, outcome="").exists():
            return
        query = BrowseFilter().having("source", turn.source.name).having("outcome", "none").typed()
        try:
            call_command(
                "verify", query=query, profile=loop.verify_profile, inspect=loop.inspect, wait=True,
                stdout=self.stderr, stderr=self.stderr,
            )  # fmt: skip
        except SystemExit:
            raise CommandError(
                "Some samples wait for a device that no worker has. The turns go on when they are verified."
            ) from None

    def finish(self, loop: Loop) -> None:
        turns = Synthesis.objects.filter(loop=loop).count()
        used = used_by(loop)
        summary = {
            "state": loop.state,
            "ended_by": loop.ended_by,
            "turns": turns,
            "tokens": used.tokens,
            "cost": used.cost,
        }
        self.stdout.write(json.dumps({"name": loop.first.name, "policy": loop.policy, **summary}))
        if loop.error:
            raise CommandError(loop.error)


def loop_of(name: str) -> Loop:
    loop = Loop.objects.select_related("first").filter(first=named(name)).first()
    if loop is None:
        raise CommandError(f"The turns of {name} do not start by themselves: `turns start` starts them.")
    return loop
