"""Rules by evidence: the outcome on the recipe's device, the findings behind it, the verdict of the reviews."""

from datasets_app.curate.parameters import Choice, Choices
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.models import DECIDING

UNDECIDED = "nothing decided on the device"
DECIDED = tuple((outcome.value, str(outcome.label)) for outcome in DECIDING)
SEVERITIES = (
    ("reject", "reject (speaks against the kernel)"),
    ("audit", "audit (a person should look)"),
    ("label", "label (worth knowing)"),
)


class Outcome(RowRule):
    name = "outcome"
    title = "Outcome"
    phrase = "Outcome is {outcomes}"
    explains = (
        "Keeps samples of which one of these was decided on the recipe's device. A sample of which nothing was "
        "decided there is dropped."
    )
    parameters = (Choices(name="outcomes", title="Outcomes", default=["passed"], choices=DECIDED),)

    def refuses(self, row: Row) -> str:
        if row.outcome in self["outcomes"]:
            return ""
        return f"outcome is {row.outcome.replace('_', ' ')}" if row.outcome else UNDECIDED


class Findings(RowRule):
    name = "findings"
    title = "Findings by severity"
    phrase = "Verified {having} severity {severities}"
    explains = (
        "Keeps samples by the severities of the findings behind their outcome. A sample without an outcome on the "
        "recipe's device is dropped."
    )
    parameters = (
        Choice(
            name="having",
            title="Keep those",
            default="none",
            choices=(("none", "without any finding of"), ("some", "with a finding of")),
        ),
        Choices(name="severities", title="Severities", default=["audit", "reject"], choices=SEVERITIES),
    )
    needs = frozenset({"findings"})

    def refuses(self, row: Row) -> str:
        if not row.outcome:
            return UNDECIDED
        met = sorted(row.findings.intersection(self["severities"]))
        if self["having"] == "none":
            return f"has a finding of severity {met[0]}" if met else ""
        return "" if met else "has no such finding"


class Verdict(RowRule):
    name = "verdict"
    title = "Verdict of the reviews"
    phrase = "Reviews: {keep}"
    explains = (
        "Keeps samples by what their reviews decide under the site's policy. A contested sample has reviews and no "
        "verdict: it is neither accepted nor rejected, and counts as if it were unreviewed."
    )
    parameters = (
        Choice(
            name="keep",
            title="Keep",
            default="accepted",
            choices=(
                ("accepted", "only accepted ones"),
                ("not_rejected", "all but rejected ones, unreviewed included"),
                ("reviewed_not_rejected", "reviewed ones that were not rejected"),
            ),
        ),
    )

    def refuses(self, row: Row) -> str:
        if self["keep"] == "not_rejected":
            return "rejected" if row.verdict == "reject" else ""
        if not row.verdict:
            return "never reviewed"
        if row.verdict == "contested":
            return "its reviewers disagree"
        if row.verdict == "reject":
            return "rejected"
        return "needs a fix" if self["keep"] == "accepted" and row.verdict == "fix" else ""
