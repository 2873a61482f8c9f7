"""What the admission test or the source has against a task."""

from datasets_app.curate.parameters import Choice, Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule


class TaskFindings(RowRule):
    name = "task_findings"
    title = "Tasks by admission findings"
    phrase = "Tasks {having} {codes}"
    explains = (
        "Keeps samples by what is known against their task as a test: robust-kbench's filters (output_range, "
        "output_std, output_axes, input_impact, llm_sanity) and what the admission test asks beside them. A task that "
        "was never examined has no finding."
    )
    parameters = (
        Choice(
            name="having",
            title="Keep those",
            default="none",
            choices=(("none", "without any of"), ("some", "with one of")),
        ),
        Names(name="codes", title="Findings", default=[], known="task_findings"),
    )
    needs = frozenset({"task_findings"})

    def refuses(self, row: Row) -> str:
        met = sorted(row.task_findings.intersection(self["codes"]))
        if self["having"] == "none":
            return f"its task has the finding {met[0]}" if met else ""
        return "" if met else "its task has no such finding"
