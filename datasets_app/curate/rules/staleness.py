"""A rule by staleness: the sample was verified under the versions that the device's machines still have."""

from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class UpToDate(RowRule):
    name = "up_to_date"
    title = "Evidence is up to date"
    explains = "Keeps samples whose outcome was found under the versions that the device's machines have now."
    needs = frozenset({"changed"})

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        return "versions have changed since" if row.changed else ""
