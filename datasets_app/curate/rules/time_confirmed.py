"""A rule by confirmation: a clock outside the kernel's process confirms its time."""

from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class TimeConfirmed(RowRule):
    name = "time_confirmed"
    title = "Time confirmed"
    explains = (
        "Keeps samples whose measured time the judge's own clock confirms: as one of many calls that the judge times "
        "itself, the speedup is at most a few percent lower. A time that this clock cannot resolve is dropped."
    )
    needs = frozenset({"time_confirmed"})

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        return "" if row.time_confirmed else "its time was not confirmed"
