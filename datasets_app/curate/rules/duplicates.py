"""The same kernel twice teaches nothing the second time."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Choice
from datasets_app.curate.row import Basis, Row
from datasets_app.curate.rule import Context, Judgement, Rule

VERDICT_RANK = {"accept": 0, "": 1, "contested": 1, "fix": 2, "reject": 3}


def best_first(row: Row) -> tuple[int, bool, tuple[float, float, str]]:
    """Return a sort key: accepted, unreviewed, doubtful; passed before others; then faster, shorter trace, id."""
    return (VERDICT_RANK.get(row.verdict, 1), row.outcome != "passed", row.fastest_first(Basis.MEASURED))


class Duplicates(Rule):
    name = "duplicates"
    title = "One of each kernel"
    phrase = "One of each kernel {within}"
    explains = (
        "Of samples whose kernels are the same once layout, comments and docstrings are taken away, keeps one: "
        "accepted before unreviewed, passed before the rest, then the faster, the shorter trace, the smaller id."
    )
    parameters = (
        Choice(
            name="within",
            title="Compare",
            default="task",
            choices=(("task", "within a task"), ("all", "over all tasks")),
        ),
    )
    needs = frozenset({"kernel"})

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        seen: set[tuple[str, str]] = set()
        for row in sorted(rows, key=best_first):
            key = (row.task if self["within"] == "task" else "", row.kernel or row.id)
            yield Judgement(row, "same kernel as one that is kept" if key in seen else "")
            seen.add(key)
