"""What was found out about a sample: the newest verification, its findings, the newest review."""

from datasets_app.curate.parameters import Choice, Choices
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule

OUTCOMES = (
    ("passed", "passed"),
    ("wrong_value", "wrong value"),
    ("wrong_structure", "wrong structure"),
    ("nondeterministic", "nondeterministic"),
    ("cheated", "cheated"),
    ("build_error", "build error"),
    ("build_timeout", "build timeout"),
    ("load_error", "load error"),
    ("runtime_error", "runtime error"),
    ("illegal_memory", "illegal memory"),
    ("out_of_memory", "out of memory"),
    ("timeout", "timeout"),
)
SEVERITIES = (
    ("reject", "reject (speaks against the kernel)"),
    ("audit", "audit (a person should look)"),
    ("label", "label (worth knowing)"),
)


class Outcome(RowRule):
    name = "outcome"
    title = "Outcome of the newest verification"
    phrase = "Outcome is {outcomes}"
    explains = (
        "Keeps samples that were verified with one of these outcomes. A sample never verified is dropped."
    )
    parameters = (Choices(name="outcomes", title="Outcomes", default=["passed"], choices=OUTCOMES),)

    def refuses(self, row: Row) -> str:
        if row.outcome in self["outcomes"]:
            return ""
        return f"outcome is {row.outcome.replace('_', ' ')}" if row.outcome else "never verified"


class Findings(RowRule):
    name = "findings"
    title = "Findings of the newest verification"
    phrase = "Verified {having} severity {severities}"
    explains = "Keeps verified samples by the severities of what the checks noticed."
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
            return "never verified"
        met = sorted(row.findings.intersection(self["severities"]))
        if self["having"] == "none":
            return f"has a finding of severity {met[0]}" if met else ""
        return "" if met else "has no such finding"


class Verdict(RowRule):
    name = "verdict"
    title = "Verdict of the newest review"
    phrase = "Reviews: {keep}"
    explains = "Keeps samples by what the newest review says."
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
        if row.verdict == "reject":
            return "rejected"
        return "needs a fix" if self["keep"] == "accepted" and row.verdict == "fix" else ""
