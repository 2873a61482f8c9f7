"""`manage.py export NAME --format F --out DIR`: writes a release's files in one format into a folder."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets_app.export.finish import write_into
from datasets_app.export.formats import FORMATS
from datasets_app.export.pairs import KINDS
from datasets_app.export.request import ExportError
from datasets_app.management.commands.release import find
from datasets_app.management.site_command import SiteCommand

OPTIONS = ("columns", "pairs", "think", "numbered")


class Command(SiteCommand):
    help = "Write the files of a release in one format into a folder; the last line of stdout is JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the release")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--out", required=True, type=Path, help="output folder; created if missing")
        parser.add_argument("--columns", type=names, help="names, separated by commas; all if left out")
        parser.add_argument(
            "--template", type=Path, help="a file with the prompt, in which {program} is the program"
        )
        parser.add_argument(
            "--no-think", dest="think", action="store_false", default=None, help="leave traces out"
        )
        parser.add_argument(
            "--sample-ids",
            dest="numbered",
            action="store_false",
            default=None,
            help="in ConCuR's layout, uuid is the sample's id instead of a number per problem",
        )
        parser.add_argument("--pairs", type=names, help=f"kinds, separated by commas: {', '.join(KINDS)}")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = {name: options[name] for name in OPTIONS if options[name] is not None}
        try:
            if options["template"] is not None:
                chosen["template"] = options["template"].read_text(encoding="utf-8").rstrip("\n")
            files = write_into(find(options["name"]), options["format"], options["out"], chosen)
        except UnicodeDecodeError as error:
            raise CommandError(f"{options['template']} is not text in UTF-8.") from error
        except (ExportError, OSError) as error:
            raise CommandError(str(error)) from error
        rows = sum(file["rows"] for file in files)
        self.stdout.write(json.dumps({"release": options["name"], "rows": rows, "files": files}))


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
