"""Conversations with what reviewers' notes say about parts of the answers: faults, and regions that matter."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from datasets_app.export.columns import Column, Origin
from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.chat import FIELDS
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import Answer, answer, assistant, prompt, user
from datasets_app.export.types import Described
from datasets_app.models import NoteLabel

Note = dict[str, Any]
# Spans with these labels are not trained on.
FAULTS = (
    NoteLabel.REDUNDANT,
    NoteLabel.WRONG_CLAIM,
    NoteLabel.HALLUCINATED_API,
    NoteLabel.RACE,
    NoteLabel.BOUNDS,
    NoteLabel.PRECISION,
)
# Spans with these labels are named, and give their row a weight.
REGIONS = (NoteLabel.CUDA_SENSITIVE, NoteLabel.KEY_INSIGHT)


class MaskedChat(JsonLines):
    """Every row; the spans of its answer that reviewers marked as faults are left out of the loss.

    The regions and the weight are for trainers that weigh samples by them, as CUDA-sensitive instruction tuning does
    (arXiv:2606.16231, where a model's confidence finds the regions; here reviewers do).
    """

    name = "chat-masked"
    title = "Chat with loss masks"
    means = (
        "as Chat, JSON Lines, with Axolotl's train_detail: spans that notes mark as faults are not trained on; spans "
        "that notes mark as CUDA-sensitive or as key insights are listed, and their share raises the row's weight"
    )
    folder = "chat-masked"
    takes = ("template", "think")
    nothing = (
        "No note marks a span of these rows' traces or kernels as a fault or as a region that matters "
        f"({', '.join(label.label for label in FAULTS + REGIONS)}). Use Chat, JSON Lines."
    )

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        weight = "1, plus the share of the answer's characters that notes mark as regions that matter"
        return (*FIELDS, Column("weight", "float64", weight, Origin.ROW))

    def has_records(self, rows: Rows, options: Options = DEFAULT) -> bool:
        texts = {"trace", "kernel"} if options.think else {"kernel"}
        return any(
            note["label"] in FAULTS + REGIONS and note["text"] in texts
            for row in rows
            for note in row["notes"] or ()
        )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for row in rows:
            turn, notes = answer(row, options.think), row["notes"] or ()
            marks = {"train_detail": train_detail(notes, turn), "regions": regions(notes, turn)}
            yield {
                "messages": [user(prompt(options.template, row)), assistant(turn.text) | marks],
                "id": row["id"],
                "task_id": row["task_id"],
                "weight": weight(notes, turn),
            }


def train_detail(notes: Sequence[Note], turn: Answer) -> list[dict[str, Any]]:
    """Return the parts of the turn in order, from its first character to its last, both ends of each included."""
    masked = covered(notes, turn, FAULTS)
    bounds = [0, *(at for at in range(1, len(masked)) if masked[at] != masked[at - 1]), len(masked)]
    return [
        {"begin_offset": begin, "end_offset": end - 1, "train": not masked[begin]}
        for begin, end in pairwise(bounds)
    ]


def regions(notes: Sequence[Note], turn: Answer) -> list[dict[str, Any]]:
    """Return the spans of the turn that notes mark as regions that matter, both ends included; they may overlap."""
    found = [(*span(note, turn), str(note["label"])) for note in on_turn(notes, turn, REGIONS)]
    return [
        {"begin_offset": begin, "end_offset": end - 1, "label": label} for begin, end, label in sorted(found)
    ]


def weight(notes: Sequence[Note], turn: Answer) -> float:
    """Return the row's weight: 1, plus the share of the turn's characters in regions, to four places."""
    return round(1 + sum(covered(notes, turn, REGIONS)) / len(turn.text), 4)


def covered(notes: Sequence[Note], turn: Answer, labels: Collection[str]) -> list[bool]:
    """Return for each character of the turn whether a note with one of the labels is on it."""
    marked = [False] * len(turn.text)
    for note in on_turn(notes, turn, labels):
        begin, end = span(note, turn)
        marked[begin:end] = [True] * (end - begin)
    return marked


def on_turn(notes: Sequence[Note], turn: Answer, labels: Collection[str]) -> Iterator[Note]:
    return (note for note in notes if note["label"] in labels and note["text"] in turn.starts)


def span(note: Note, turn: Answer) -> tuple[int, int]:
    start = turn.starts[note["text"]]
    return start + note["start"], start + note["end"]
