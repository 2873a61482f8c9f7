"""The form of a note: a place by its lines, perhaps a second one, a label and a comment. Nothing typed is lost."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms

from datasets_app.browse.sample.comparison import text_of
from datasets_app.models import NotedText, NoteLabel, Sample
from datasets_app.models.note import LONGEST_NOTE_TEXT
from datasets_app.review.notes.anchors import Place, digest_of, lines_place
from datasets_app.review.notes.errors import NoteError

NUMBER: dict[str, Any] = {"required": False, "min_value": 1, "max_value": 100_000_000}
PLACES = ("", "tied_")  # prefixes of the fields of the two places


class LabelOption(NamedTuple):
    label: NoteLabel
    checked: bool


class NoteForm(forms.Form):
    key = forms.UUIDField()
    label = forms.ChoiceField(choices=[("", "no label"), *NoteLabel.choices], required=False)
    comment = forms.CharField(required=False, strip=False)
    text = forms.CharField(max_length=20)
    first = forms.IntegerField(
        **{**NUMBER, "required": True}, error_messages={"required": "Say from which line."}
    )
    last = forms.IntegerField(**NUMBER)
    first_column = forms.IntegerField(**NUMBER)
    last_column = forms.IntegerField(**NUMBER)
    tied_text = forms.CharField(max_length=20, required=False)
    tied_first = forms.IntegerField(**NUMBER)
    tied_last = forms.IntegerField(**NUMBER)
    tied_first_column = forms.IntegerField(**NUMBER)
    tied_last_column = forms.IntegerField(**NUMBER)
    longest = LONGEST_NOTE_TEXT

    def __init__(self, sample: Sample, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.sample = sample

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("tied_text") and not given.get("tied_first"):
            self.add_error("tied_first", "Say from which line, or choose no second place.")
        return given

    def texts(self) -> list[tuple[str, str]]:
        """Return the sample's texts that a note can be on, each with its digest, for the page to carry."""
        texts = ((str(name), text_of(self.sample, name)) for name in reversed(NotedText.values))
        return [(name, digest_of(text)) for name, text in texts if text]

    def labels(self) -> Iterator[LabelOption]:
        chosen = self["label"].value()
        for label in NoteLabel:
            yield LabelOption(label, label.value == chosen)

    def faults(self) -> list[str]:
        """Return a sentence per invalid field, with its name where the sentence does not say it."""
        return [
            str(error) if name in (*FREE, "__all__") else f"{name.replace('_', ' ').capitalize()}: {error}"
            for name, errors in self.errors.items()
            for error in errors
        ]

    @property
    def has_tied_place(self) -> bool:
        return bool(self["tied_text"].value())

    @property
    def has_columns(self) -> bool:
        return bool(self["first_column"].value() or self["last_column"].value())

    def places(self) -> list[Place]:
        """Return the one or two places of a valid form. Raises NoteError."""
        given = self.cleaned_data
        return [self.place(prefix, given[f"{prefix}text"]) for prefix in PLACES if given[f"{prefix}text"]]

    def place(self, prefix: str, name: str) -> Place:
        given = self.cleaned_data
        return lines_place(
            self.sample,
            name,
            given[f"{prefix}first"],
            given[f"{prefix}last"],
            given[f"{prefix}first_column"],
            given[f"{prefix}last_column"],
            str(self.data.get(f"seen_{name}", ""))[:64],
        )

    def refused(self, error: NoteError) -> None:
        """Show the sentences of a refusal in the form."""
        for sentence in error.errors.values():
            self.add_error(None, sentence)

    def renewed(self) -> NoteForm:
        """Return the same input with a new key."""
        form = NoteForm(self.sample, {**dict(self.data.items()), "key": str(uuid.uuid4())})
        form.is_valid()
        return form


FREE = ("comment", "first")  # fields whose sentences are complete


def opened_form(sample: Sample, params: Mapping[str, Any] | None = None) -> NoteForm:
    """Return an empty form with a new key; `params` may name a text and lines."""
    initial = {
        name: str(value)[:20] for name, value in (params or {}).items() if name in NoteForm.base_fields
    }
    return NoteForm(sample, initial={**initial, "key": uuid.uuid4()})
