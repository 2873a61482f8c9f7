"""Notes and suggestions for the example of every state."""

from typing import Any

from datasets_app.models import Sample
from datasets_app.review import notes, suggestions
from tests.browser.states import texts
from tests.factories import acting


def note_all(shown: Sample, hostile: Sample, annotator: Any, curator: Any) -> None:
    """Write notes in every state: overlapping, tied, answered, resolved, withdrawn, and hostile ones."""
    ada, grace = acting(annotator), acting(curator)
    insight = [notes.lines_place(shown, "trace", 1, 3), notes.lines_place(shown, "kernel", 5, 9)]
    note = notes.create_note(shown, ada, insight, "key_insight", "This sentence became these lines.")
    notes.answer_note(note, grace, "Did it? @ada")
    notes.edit_note(note, ada, "This paragraph became these lines.")
    doubt = notes.create_note(shown, grace, [notes.lines_place(shown, "trace", 1)], "wrong_claim", "No.")
    notes.resolve_note(doubt, ada)
    other = notes.create_note(shown, ada, [notes.lines_place(shown, "kernel", 7, 12)], "race", "Here?")
    notes.create_note(shown, grace, [notes.lines_place(shown, "kernel", 8, 10)], "bounds")
    notes.withdraw_note(other, ada, "Every thread has its own row.")
    said = notes.create_note(
        hostile, ada, [notes.lines_place(hostile, "trace", 1)], "redundant", texts.SCRIPT
    )
    notes.answer_note(said, grace, f"Is it, @ada? {texts.SCRIPT}")  # unread: in the annotator's inbox


def suggest_all(refused: Sample, hostile: Sample, who: Any) -> None:
    """Send a model's suggestions: a verdict with scores, a span, and hostile words."""
    rows = [
        {"sample": refused.pk, "verdict": "fix", "scores": {"correctness": 2}, "confidence": 0.71,
         "words": "The kernel divides by the norm without the epsilon of the reference."},
        {"sample": refused.pk, "text": "trace", "start": 0, "end": 40, "label": "key_insight",
         "words": "The design is decided here."},
        {"sample": hostile.pk, "verdict": "accept", "words": texts.SCRIPT},
    ]  # fmt: skip
    sent = [{**row, "sample": str(row["sample"])} for row in rows]
    posted = suggestions.post_suggestions(acting(who.annotator), "near-miss critic", "2026-05", sent)
    assert [one.error for one in posted] == ["", "", ""]
