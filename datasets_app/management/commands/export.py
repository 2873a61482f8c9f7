"""`manage.py export NAME --format F --out DIR`: writes a release's files in one format into a folder."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets_app.export.finish import write_into
from datasets_app.export.formats import FORMATS
from datasets_app.export.request import ExportError
from datasets_app.management.commands.release import find


class Command(BaseCommand):
    help = "Write the files of a release in one format into a folder; the last line of stdout is JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the release")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--out", required=True, type=Path, help="output folder; created if missing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            files = write_into(find(options["name"]), options["format"], options["out"])
        except (ExportError, OSError) as error:
            raise CommandError(str(error)) from error
        rows = sum(file["rows"] for file in files)
        self.stdout.write(json.dumps({"release": options["name"], "rows": rows, "files": files}))
