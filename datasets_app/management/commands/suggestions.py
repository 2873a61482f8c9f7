"""`manage.py suggestions export FILE` and `manage.py suggestions import FILE`: suggestions as JSON Lines."""

from collections.abc import Iterable, Iterator

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.json_lines import JsonLinesCommand
from datasets_app.review.json_lines import Imported
from datasets_app.review.suggestions.records import exported_lines, import_suggestions


class Command(JsonLinesCommand):
    noun = "suggestions"
    help = (
        "Write all suggestions with their replies to a file, or store those of such a file. Samples, accounts and "
        "reviews must exist: import the reviews first."
    )

    def lines(self) -> Iterator[str]:
        return exported_lines()

    def store(self, lines: Iterable[str]) -> Imported:
        return import_suggestions(COMMAND, lines)
