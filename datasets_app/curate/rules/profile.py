"""A rule by the profile of the verification."""

from datasets_app.curate.parameters import Choice
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED
from datasets_app.evidence.choose import STRICTNESS, strictness


class ProfileAtLeast(RowRule):
    name = "profile"
    title = "Profile at least"
    phrase = "Verified under {least} or stricter"
    explains = "Keeps samples whose outcome comes from a run at least this thorough."
    parameters = (
        Choice(
            name="least",
            title="At least",
            default="standard",
            choices=tuple((profile, profile) for profile in STRICTNESS),
        ),
    )

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        return "" if strictness(row.profile) >= STRICTNESS[self["least"]] else f"verified under {row.profile}"
