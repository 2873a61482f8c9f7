"""A rule by revisions: no accepted edit has replaced the sample."""

from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule


class NotSuperseded(RowRule):
    name = "not_superseded"
    title = "Not superseded by a revision"
    explains = (
        "Leaves out samples that an accepted edit replaced by a revision, which is a sample of its own."
    )
    needs = frozenset({"superseded"})

    def refuses(self, row: Row) -> str:
        return "superseded by a revision" if row.superseded else ""
