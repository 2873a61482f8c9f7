"""A rule by the age of the evidence. It takes a date, so that the same recipe chooses the same rows tomorrow."""

from datetime import UTC, date, datetime

from datasets_app.curate.parameters import Day
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class VerifiedSince(RowRule):
    name = "verified_since"
    title = "Verified since"
    phrase = "Verified since {day}"
    explains = "Keeps samples whose outcome was found on this day (UTC) or later."
    parameters = (Day(name="day", title="Since", default="2025-01-01"),)
    needs = frozenset({"verified_at"})

    def refuses(self, row: Row) -> str:
        if row.verified_at is None:
            return UNDECIDED
        return "" if day_of(row.verified_at) >= date.fromisoformat(self["day"]) else "verified before that"


def day_of(moment: datetime) -> date:
    return moment.astimezone(UTC).date()
