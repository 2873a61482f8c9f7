"""`manage.py notes export FILE` and `manage.py notes import FILE`: notes as JSON Lines."""

from collections.abc import Iterable, Iterator

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.json_lines import JsonLinesCommand
from datasets_app.review.json_lines import Imported
from datasets_app.review.notes.records import exported_lines, import_notes


class Command(JsonLinesCommand):
    noun = "notes"
    help = "Write all notes to a file, or store the notes of such a file. Samples and accounts must exist."

    def lines(self) -> Iterator[str]:
        return exported_lines()

    def store(self, lines: Iterable[str]) -> Imported:
        return import_notes(COMMAND, lines)
