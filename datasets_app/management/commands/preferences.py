"""`manage.py preferences export FILE` and `manage.py preferences import FILE`: preferences as JSON Lines."""

from collections.abc import Iterable, Iterator

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.json_lines import JsonLinesCommand
from datasets_app.review.json_lines import Imported
from datasets_app.review.preferences.records import exported_lines, import_preferences


class Command(JsonLinesCommand):
    noun = "preferences"
    help = "Write all preferences to a file, or store the preferences of such a file. Samples and accounts must exist."

    def lines(self) -> Iterator[str]:
        return exported_lines()

    def store(self, lines: Iterable[str]) -> Imported:
        return import_preferences(COMMAND, lines)
