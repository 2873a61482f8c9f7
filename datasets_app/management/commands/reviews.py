"""`manage.py reviews export FILE` and `manage.py reviews import FILE`: reviews as JSON Lines."""

from collections.abc import Iterable, Iterator

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.json_lines import JsonLinesCommand
from datasets_app.review.json_lines import Imported
from datasets_app.review.records import exported_lines, import_reviews


class Command(JsonLinesCommand):
    noun = "reviews"
    help = (
        "Write all reviews to a file, or store the reviews of such a file. Samples and accounts must exist."
    )

    def lines(self) -> Iterator[str]:
        return exported_lines()

    def store(self, lines: Iterable[str]) -> Imported:
        return import_reviews(COMMAND, lines)
