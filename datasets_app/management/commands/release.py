"""`manage.py release create NAME --recipe FILE_OR_NAME [--wait]`, `rebuild NAME [--check]`, `leaks NAME`, `push NAME`.

The last line of stdout is JSON; messages for people go to stderr.
"""

import json
import sys
from contextlib import nullcontext
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.curate.definition import RecipeError
from datasets_app.curate.rebuild import Check, check, split_report
from datasets_app.curate.recipe_versions import named
from datasets_app.export.errors import PushError
from datasets_app.export.finish import finish_files, rewrite_files
from datasets_app.export.push import destination, push
from datasets_app.export.request import ExportError
from datasets_app.jobs.enqueue import suppressed
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import JobState, Release

SHOWN = 20


class Command(SiteCommand):
    help = "Freeze a recipe into a release; check, rebuild or push one."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="freeze a recipe")
        create.add_argument("name")
        create.add_argument(
            "--recipe",
            required=True,
            help="a recipe's name (NAME@3 is its version 3), or a JSON or TOML file",
        )
        create.add_argument("--title", default="")
        create.add_argument("--notes", default="")
        create.add_argument("--wait", action="store_true", help="freeze and write the files in this process")
        again = actions.add_parser("rebuild", help="write the files again from the frozen rows")
        again.add_argument("name")
        again.add_argument(
            "--check",
            action="store_true",
            help="change nothing; report whether hash and selection would be the same today; exit 1 if not",
        )

        leaks = actions.add_parser("leaks", help="print what several splits share; exit 1 if they do")
        leaks.add_argument("name")
        self.add_push(actions.add_parser("push", help="send the files to a Hub's repository, in one commit"))

    def add_push(self, push: CommandParser) -> None:
        push.add_argument("name")
        push.add_argument("--to", required=True, metavar="OWNER/NAME", help="made if it is missing")
        push.add_argument("--endpoint", default="", help="of the Hub; else HF_ENDPOINT, else huggingface.co")
        push.add_argument("--private", action="store_true", help="make it a private repository")
        push.add_argument("--message", default="", help="of the commit, instead of the release's name")
        push.add_argument("--dry-run", action="store_true", help="say what would change, and send nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        inline = options.get("wait") or options["action"] == "rebuild"
        try:
            with suppressed() if inline else nullcontext():
                getattr(self, options["action"])(options)
        except RecipeError as error:
            raise CommandError("\n".join(error.faults.values())) from error

    def create(self, options: dict[str, Any]) -> None:
        chosen = named(options["recipe"])
        release = freeze.create(
            COMMAND,
            name=options["name"],
            definition=chosen.definition,
            recipe=chosen.recipe,
            recipe_name=chosen.name,
            recipe_version=chosen.number,
            title=options["title"],
            notes=options["notes"],
        )
        if options["wait"]:
            self.finish(release)
        release.refresh_from_db()
        if release.state == JobState.FAILED or (release.state == JobState.QUEUED and release.error):
            raise CommandError(release.error)
        self.say(summary(release))

    def finish(self, release: Release) -> None:
        """Freeze and write the files in this process. Raises CommandError if a file could not be written."""
        freeze.run_freeze(release.pk)
        try:
            finish_files(release)
        except ExportError as error:
            raise CommandError(str(error)) from error

    def rebuild(self, options: dict[str, Any]) -> None:
        release = find(options["name"])
        if not options["check"]:
            self.say(rewrite_files(release))
            return
        result = check(release)
        self.print_check(result)
        self.say({**result.to_json(), "differences": len(result.differences)})
        if not result.same:
            sys.exit(1)

    def leaks(self, options: dict[str, Any]) -> None:
        found = split_report(find(options["name"]))
        for leak in found.leaks:
            self.stderr.write(f"{leak.words()}: {leak.rows:,} rows")
        self.stderr.write(found.sentence())
        self.say(found.to_json())
        if found.leaks:
            sys.exit(1)

    def push(self, options: dict[str, Any]) -> None:
        try:
            to = destination(options["to"], options["endpoint"], options["private"])
            pushed = push(
                find(options["name"]),
                to,
                options["message"],
                dry_run=options["dry_run"],
                say=self.stderr.write,
                actor=COMMAND,
            )
        except PushError as error:
            raise CommandError(str(error)) from error
        self.say(
            {
                "release": options["name"],
                "repository": to.repository,
                "endpoint": to.endpoint,
                **pushed.to_json(),
            }
        )

    def print_check(self, result: Check) -> None:
        state = "matches" if result.hash_holds else "DOES NOT MATCH"
        self.stderr.write(f"The content hash of {result.rows:,} rows {state}.")
        for difference in result.differences[:SHOWN]:
            self.stderr.write(f"{difference.change:>8} {difference.sample}: {difference.why}")
        if len(result.differences) > SHOWN:
            self.stderr.write(f"... and {len(result.differences) - SHOWN:,} more rows.")

    def say(self, data: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(data, ensure_ascii=False))


def find(name: str) -> Release:
    """Return a finished release by name. Raises CommandError."""
    release = Release.objects.filter(name=name).first()
    if release is None:
        names = ", ".join(Release.objects.ready().values_list("name", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no release {name!r}. Releases: {names}.")
    if release.state != JobState.DONE:
        raise CommandError(f"Release {name} is {release.state}. {release.error}".strip())
    return release


def summary(release: Release) -> dict[str, Any]:
    return {
        "name": release.name,
        "state": release.state,
        "recipe": release.recipe_name,
        "recipe_version": release.recipe_version,
        "rows": release.row_count,
        "tasks": release.task_count,
        "splits": release.split_counts,
        "sha256": release.content_sha256,
        "files": list(release.exports.filter(state=JobState.DONE).values_list("path", flat=True)),
    }
