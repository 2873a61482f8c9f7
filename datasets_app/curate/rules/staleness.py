"""Whether the versions under which a sample was verified are still those of the device's workers."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule
from datasets_app.curate.rules.evidence import UNDECIDED


class UpToDate(Rule):
    name = "up_to_date"
    title = "Evidence is up to date"
    explains = "Keeps samples whose outcome was found under the engine, PyTorch, toolkit and driver that the device has now."
    needs = frozenset({"environment"})

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        for row in rows:
            stale = "versions have changed since" if row.environment in context.stale else ""
            yield Judgement(row, stale if row.outcome else UNDECIDED)
