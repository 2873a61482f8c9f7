"""Notes on spans and lines: a label and a thread, anchored to characters of a sample's program, trace or kernel.

`create_note`, `answer_note`, `edit_note`, `resolve_note`, `reopen_note` and `withdraw_note` (`verbs`) are what people
do; `notes_of` (`threads`) reads what a page shows, and `spans_of` what the panes draw; `lines_place` (`anchors`) turns
lines into offsets of the stored text; `inbox_of` and `mark_seen` (`inbox`) are what is unseen of mentions and answers.
Notes are append-only: an edit keeps the earlier text, a withdrawal has a reason,
and nothing is erased.
"""

from datasets_app.review.notes.anchors import Place, checked_place, digest_of, lines_place
from datasets_app.review.notes.errors import NoteClosedError, NoteEditedError, NoteError, TextReplacedError
from datasets_app.review.notes.inbox import inbox_of, mark_seen
from datasets_app.review.notes.mentions import unknown_mentions
from datasets_app.review.notes.threads import (
    NoteList,
    Thread,
    notes_of,
    readable_notes,
    regions_of,
    spans_of,
    thread_of,
)
from datasets_app.review.notes.verbs import (
    answer_note,
    create_note,
    edit_note,
    reopen_note,
    resolve_note,
    withdraw_note,
)

__all__ = [
    "NoteClosedError",
    "NoteEditedError",
    "NoteError",
    "NoteList",
    "Place",
    "TextReplacedError",
    "Thread",
    "answer_note",
    "checked_place",
    "create_note",
    "digest_of",
    "edit_note",
    "inbox_of",
    "lines_place",
    "mark_seen",
    "notes_of",
    "readable_notes",
    "regions_of",
    "reopen_note",
    "resolve_note",
    "spans_of",
    "thread_of",
    "unknown_mentions",
    "withdraw_note",
]
