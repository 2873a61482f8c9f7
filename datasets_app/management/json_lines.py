"""The commands that write what people decided as JSON Lines, and read it back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser

from datasets_app.management.site_command import SiteCommand
from datasets_app.review.json_lines import Imported

SHOWN = 20  # refused lines


class JsonLinesCommand(SiteCommand):
    """`manage.py NAME export FILE` and `manage.py NAME import FILE`."""

    noun: ClassVar[str]  # in the plural, such as notes

    @abstractmethod
    def lines(self) -> Iterator[str]:
        """Yield all records as lines."""

    @abstractmethod
    def store(self, lines: Iterable[str]) -> Imported:
        """Store the records of lines."""

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, words in (
            ("export", f"write all {self.noun}"),
            ("import", f"store the {self.noun} of a file"),
        ):
            actions.add_parser(action, help=words).add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            (self.export if options["action"] == "export" else self.read)(options["file"])
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']}: {error}") from error

    def export(self, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            count = sum(1 for line in self.lines() if file.write(line))
        self.stdout.write(f"{count:,} {self.noun} written to {path}")

    def read(self, path: Path) -> None:
        with path.open(encoding="utf-8", newline="\n") as file:
            done = self.store(file)
        for number, reason in done.refused[:SHOWN]:
            self.stderr.write(f"line {number:,}: {reason}")
        words = (
            f"{done.stored:,} {self.noun} stored, {done.present:,} were there, {len(done.refused):,} refused"
        )
        if done.refused:
            raise CommandError(words)
        self.stdout.write(words)
