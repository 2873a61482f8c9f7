"""A rule by the agreement of several runs of a sample on the device."""

from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class RunsAgree(RowRule):
    name = "runs_agree"
    title = "Runs agree"
    explains = (
        "Drops samples of which two runs of one profile, under the same versions, had other outcomes, or speedups "
        "whose intervals do not overlap. A single run agrees with itself."
    )

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        return "runs there disagree" if row.runs_disagree else ""
