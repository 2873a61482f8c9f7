"""The best rows of all."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Integer
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule
from datasets_app.curate.rules.orders import BY, best_first


class TopOverall(Rule):
    name = "top"
    title = "Best rows overall"
    phrase = "Best {rows} rows by {by}"
    explains = (
        "Keeps this many rows over all tasks. Rows that lack the value come last; ties go to the smaller id."
    )
    parameters = (
        Integer(name="rows", title="Rows, at most", default=1000, minimum=1, maximum=10_000_000),
        BY,
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        for place, row in enumerate(best_first(list(rows), self["by"])):
            yield Judgement(row, "" if place < self["rows"] else "better rows fill the places")
