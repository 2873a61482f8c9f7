"""A few rows of each task, drawn by lot: what a criterion is compared with."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Integer
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule
from datasets_app.curate.rules.size import lot


class RandomPerTask(Rule):
    name = "random_per_task"
    title = "Random rows of each task"
    phrase = "Rows of each task drawn by lot: {rows}"
    explains = "Keeps this many rows of each task, drawn by lot with the recipe's seed."
    parameters = (Integer(name="rows", title="Rows per task", default=1, minimum=1, maximum=1000),)

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        drawn: dict[str, int] = {}
        for row in sorted(rows, key=lambda row: lot(context.seed, "task", row.id)):
            drawn[row.task] = drawn.get(row.task, 0) + 1
            yield Judgement(row, "" if drawn[row.task] <= self["rows"] else "not drawn")
