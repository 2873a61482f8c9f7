from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.chat import Conversations
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import Answer, assistant
from datasets_app.models import NoteLabel

# Spans with these labels are not trained on.
FAULTS = (
    NoteLabel.REDUNDANT,
    NoteLabel.WRONG_CLAIM,
    NoteLabel.HALLUCINATED_API,
    NoteLabel.RACE,
    NoteLabel.BOUNDS,
    NoteLabel.PRECISION,
)


class MaskedChat(Conversations, JsonLines):
    """Every row; the spans of its answer that reviewers marked as faults are left out of the loss."""

    name = "chat-masked"
    title = "Chat with loss masks"
    means = (
        "as Chat, JSON Lines, with Axolotl's train_detail: spans that notes mark as faults are not trained on"
    )
    folder = "chat-masked"
    nothing = (
        "No note marks a span of these rows' traces or kernels as a fault "
        f"({', '.join(label.label for label in FAULTS)}), so there is nothing to mask. Use Chat, JSON Lines."
    )

    def has_records(self, rows: Rows, options: Options = DEFAULT) -> bool:
        texts = {"trace", "kernel"} if options.think else {"kernel"}
        return any(
            note["label"] in FAULTS and note["text"] in texts for row in rows for note in row["notes"] or ()
        )

    def answered(self, row: Record, turn: Answer) -> dict[str, Any]:
        return assistant(turn.text) | {"train_detail": train_detail(row["notes"] or (), turn)}


def train_detail(notes: Sequence[dict[str, Any]], turn: Answer) -> list[dict[str, Any]]:
    """Return the parts of the turn in order, from its first character to its last, both ends of each included."""
    masked = [False] * len(turn.text)
    for note in notes:
        if note["label"] in FAULTS and note["text"] in turn.starts:
            start = turn.starts[note["text"]]
            masked[start + note["start"] : start + note["end"]] = [True] * (note["end"] - note["start"])
    bounds = [0, *(at for at in range(1, len(masked)) if masked[at] != masked[at - 1]), len(masked)]
    return [
        {"begin_offset": begin, "end_offset": end - 1, "train": not masked[begin]}
        for begin, end in pairwise(bounds)
    ]
