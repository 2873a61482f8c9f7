"""`manage.py honeypots FOLDER --source NAME`: stores known cheats and sound kernels for review queues."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.site_command import SiteCommand
from datasets_app.review.honeypots import CorpusError, load_honeypots

OWN_KERNELS = settings.BASE_DIR / "tests" / "engine" / "kernels"


class Command(SiteCommand):
    help = (
        "Store the kernels of a folder as honeypots: cheats/, honest/ and tasks/, one kernel a file. "
        "Queues mix them in at their own rate; no recipe ever chooses one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, nargs="?", default=OWN_KERNELS, help="default: the engine's test kernels"
        )
        parser.add_argument(
            "--source", required=True, help="the source that reviewers read: a name that says nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load_honeypots(COMMAND, options["folder"], options["source"])
        except CorpusError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{loaded.stored:,} honeypots stored, {loaded.present:,} were there, {loaded.left_out:,} left out "
            "(ordinary samples of this site, or refused by ingest)"
        )
