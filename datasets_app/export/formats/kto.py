from collections.abc import Iterator

from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.judged import PROMPT, TASK, Judged, column
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import answer, assistant, prompt, user
from datasets_app.export.types import MESSAGES
from datasets_app.models.outcome import DECIDING


class Kto(Judged):
    """TRL's unpaired preference form."""

    name = "kto"
    title = "Labelled answers"
    means = "an answer per row with a label, true or false, for KTO: by its reviews, else by its verification"
    folder = "kto"
    takes = ("template", "think")
    nothing = (
        "None of these rows was reviewed or verified, so none has a label: verify or review samples first."
    )
    columns = (
        PROMPT,
        column("completion", "the answer", MESSAGES),
        column("label", "whether a model should answer like this", "bool"),
        column("id", "of the row"),
        TASK,
    )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for row in rows:
            label = label_of(row)
            if label is not None:
                yield {
                    "prompt": [user(prompt(options.template, row))],
                    "completion": [assistant(answer(row, options.think).text)],
                    "label": label,
                    "id": row["id"],
                    "task_id": row["task_id"],
                }


def label_of(row: Record) -> bool | None:
    """Return whether a model should answer like this; None if nothing says so, or reviewers disagree.

    No review makes a kernel good that a verification refused, and no verification one that reviewers refused.
    """
    outcome = row["outcome"] if row["outcome"] in DECIDING else ""
    if row["verdict"] in ("fix", "reject") or outcome not in ("", "passed"):
        return False
    if row["verdict"] == "contested":
        return None
    return True if row["verdict"] == "accept" or outcome == "passed" else None
