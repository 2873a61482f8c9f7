"""Conversations with what is known about parts of the answers: faults that notes mark, and regions that matter."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.export.columns import Column, Origin
from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.chat import FIELDS
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import Answer, answer, assistant, prompt, user
from datasets_app.export.types import Described
from datasets_app.models import NoteLabel
from datasets_app.syntax.kernel.sensitive import EXTRA_WEIGHTS, Region, Sensitive
from datasets_app.syntax.kernel.sensitive import regions as sensitive_regions

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
# Spans with these labels are named, and raise their row's weight.
REGIONS = (NoteLabel.CUDA_SENSITIVE, NoteLabel.KEY_INSIGHT)


READ_BY_SYNTAX = {"cuda", "hip"}  # languages whose kernels have regions without anybody's note
READ_SECONDS = 2.0
Marked = tuple[int, int, str, float]  # first character, the one after the last, label, extra weight


class MaskedChat(JsonLines):
    """Every row; the spans of its answer that reviewers marked as faults are left out of the loss.

    The regions and the weights are for trainers that weigh tokens or samples by them, as CUDA-sensitive instruction
    tuning does (arXiv:2606.16231, where a model's confidence finds the regions). Here the kernel's syntax finds them,
    until a reviewer marks one as CUDA-sensitive: then the notes are all there is.
    """

    name = "chat-masked"
    title = "Chat with loss masks"
    means = (
        "as Chat, JSON Lines, with Axolotl's train_detail: spans that notes mark as faults are not trained on; "
        "CUDA-sensitive regions (launches, indexing, shared memory, synchronisation, qualifiers by syntax, or those "
        "that notes mark) and key insights are listed with their weights, and raise the row's"
    )
    folder = "chat-masked"
    takes = ("template", "think")
    nothing = (
        "None of these rows has a kernel in CUDA or HIP, and no note marks a span of their traces or kernels as a "
        f"fault or as a region that matters ({', '.join(label.label for label in FAULTS + REGIONS)}). "
        "Use Chat, JSON Lines."
    )

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        weight = "mean weight of the answer's characters: 1 outside of regions that matter, more within them"
        return (*FIELDS, Column("weight", "float64", weight, Origin.ROW))

    def has_records(self, rows: Rows, options: Options = DEFAULT) -> bool:
        texts = {"trace", "kernel"} if options.think else {"kernel"}
        return any(
            row["language"] in READ_BY_SYNTAX
            or any(note["label"] in FAULTS + REGIONS and note["text"] in texts for note in row["notes"] or ())
            for row in rows
        )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for row in rows:
            turn, notes = answer(row, options.think), row["notes"] or ()
            matter = marked_regions(row, notes, turn)
            marks = {"train_detail": train_detail(notes, turn), "regions": described(matter)}
            yield {
                "messages": [user(prompt(options.template, row)), assistant(turn.text) | marks],
                "id": row["id"],
                "task_id": row["task_id"],
                "weight": weight(matter, turn),
            }


def train_detail(notes: Sequence[Note], turn: Answer) -> list[dict[str, Any]]:
    """Return the parts of the turn in order, from its first character to its last, both ends of each included."""
    masked = covered(notes, turn, FAULTS)
    bounds = [0, *(at for at in range(1, len(masked)) if masked[at] != masked[at - 1]), len(masked)]
    return [
        {"begin_offset": begin, "end_offset": end - 1, "train": not masked[begin]}
        for begin, end in pairwise(bounds)
    ]


def marked_regions(row: Mapping[str, Any], notes: Sequence[Note], turn: Answer) -> list[Marked]:
    """Return the regions of the turn that notes mark, and those of the kernel's syntax if no note marks any there."""
    extra = EXTRA_WEIGHTS[Sensitive.NOTED]
    by_notes = [(*span(note, turn), str(note["label"]), extra) for note in on_turn(notes, turn, REGIONS)]
    edited = any(note["label"] == NoteLabel.CUDA_SENSITIVE and note["text"] == "kernel" for note in notes)
    by_syntax = [] if edited or row["language"] not in READ_BY_SYNTAX else syntax_of(row["generated_code"])
    start = turn.starts["kernel"]
    found = [
        (start + one.start, start + one.end, one.kind.value, EXTRA_WEIGHTS[one.kind]) for one in by_syntax
    ]
    return sorted([*by_notes, *found])


def syntax_of(kernel: str) -> Sequence[Region]:
    """Return the kernel's regions; none for a text that cannot be read in time."""
    try:
        return analysed(sensitive_regions, kernel, seconds=READ_SECONDS)
    except AnalysisError:
        return ()


def described(matter: Sequence[Marked]) -> list[dict[str, Any]]:
    """Return the regions as a trainer reads them, both ends included; they may overlap."""
    return [
        {"begin_offset": begin, "end_offset": end - 1, "label": label, "weight": 1 + extra}
        for begin, end, label, extra in matter
    ]


def weight(matter: Sequence[Marked], turn: Answer) -> float:
    """Return the mean weight of the turn's characters, to four places; where regions overlap the greater counts."""
    extra = [0.0] * len(turn.text)
    for begin, end, _, more in matter:
        for at in range(begin, end):
            extra[at] = max(extra[at], more)
    return round(1 + sum(extra) / len(turn.text), 4)


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
