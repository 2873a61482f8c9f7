"""One finding, by its code: whether the checks noticed it."""

from datasets_app.curate.parameters import Choice, Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.curate.rules.evidence import UNDECIDED


class FindingCode(RowRule):
    name = "finding_code"
    title = "Findings by code"
    phrase = "Verified {having} {codes}"
    explains = (
        "Keeps samples by what exactly the checks noticed, such as time_unconfirmed. A sample without an outcome on "
        "the recipe's device is dropped."
    )
    parameters = (
        Choice(
            name="having",
            title="Keep those",
            default="none",
            choices=(("none", "without any of"), ("some", "with one of")),
        ),
        Names(name="codes", title="Findings", default=[], known="findings"),
    )
    needs = frozenset({"findings"})

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        met = sorted(row.codes.intersection(self["codes"]))
        if self["having"] == "none":
            return f"has the finding {met[0]}" if met else ""
        return "" if met else "has no such finding"
