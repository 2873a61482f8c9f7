"""The curators' form for a new version: the newest one to begin with, and empty rows to add to."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from datasets_app.models import RubricVersion
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT
from datasets_app.review.rubric.definition import (
    LONGEST_MEANING,
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_CRITERIA,
    MOST_REASONS,
    RubricError,
    checked_definition,
)
from datasets_app.review.rubric.fields import VERDICTS

WHOLE = ("guidelines", "note", "reason_required_for", "comment_required_for")


def line(label: str, most: int) -> forms.CharField:
    """Return a field whose length `definition` checks, so that all faults are found at once."""
    return forms.CharField(label=label, required=False, widget=forms.TextInput(attrs={"maxlength": most}))


def verdict_boxes(label: str) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        choices=[(choice.verdict, choice.title) for choice in VERDICTS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class RowForm(forms.Form):
    """One row. A row that is empty, or marked to be left out, is no part of the version."""

    use_required_attribute = False

    def row(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "DELETE"}

    @property
    def is_used(self) -> bool:
        texts = (value for value in self.row().values() if isinstance(value, str))
        return not self.cleaned_data.get("DELETE") and any(text for text in texts)


class CriterionForm(RowForm):
    title = line("Title", LONGEST_TITLE)
    name = line("Name for programs", LONGEST_NAME)
    key = line("Key", 1)
    low = line("1 means", LONGEST_MEANING)
    middle = line("3 means", LONGEST_MEANING)
    high = line("5 means", LONGEST_MEANING)
    needs_trace = forms.BooleanField(label="Only with a trace", required=False)
    required = forms.BooleanField(label="Required", required=False)


class ReasonForm(RowForm):
    title = line("Title", LONGEST_TITLE)
    code = line("Code for programs", LONGEST_NAME)
    key = line("Key", 1)
    meaning = line("Meaning", LONGEST_MEANING)
    verdicts = verdict_boxes("Goes with (none: any verdict)")


class WholeForm(forms.Form):
    based_on = forms.IntegerField(widget=forms.HiddenInput)
    reason_required_for = verdict_boxes("A reason is required for")
    comment_required_for = verdict_boxes("A comment is required for")
    guidelines = forms.CharField(
        required=False,
        label="Guidelines with worked examples",
        widget=forms.Textarea(attrs={"rows": 14, "maxlength": LONGEST_TEXT}),
        help_text="Empty lines separate paragraphs. A sample's id becomes a link to it.",
    )
    note = forms.CharField(
        required=False,
        label="What changed, and why",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": LONGEST_REASON}),
    )


Criteria = forms.formset_factory(
    CriterionForm, extra=1, can_delete=True, max_num=MOST_CRITERIA, absolute_max=MOST_CRITERIA + 1
)
Reasons = forms.formset_factory(
    ReasonForm, extra=1, can_delete=True, max_num=MOST_REASONS, absolute_max=MOST_REASONS + 1
)


def form_for(current: RubricVersion) -> "RubricForm":
    """Return a form for the version after `current`, which it starts as."""
    start = {name: getattr(current, name) for name in (*WHOLE, "criteria", "reasons")}
    return RubricForm({**start, "note": ""}, current.number)


class RubricForm:
    """The whole form. `definition` is what it says, `faults` is empty once that is valid."""

    def __init__(
        self,
        start: Mapping[str, Any],
        based_on: int = 0,
        data: QueryDict | None = None,
    ) -> None:
        """`start` is a definition, which the form begins with; a request's `data` replaces it."""
        self.whole = WholeForm(data, initial={**start, "based_on": based_on})
        self.rows: dict[str, Any] = {
            "criteria": Criteria(data, prefix="criteria", initial=start.get("criteria")),
            "reasons": Reasons(data, prefix="reasons", initial=start.get("reasons")),
        }
        self.data = data or QueryDict()
        self.other_faults: list[str] = []

    def definition(self) -> dict[str, Any] | None:
        """Return the checked definition; None if it has faults, which are beside the fields then."""
        parts: list[Any] = [self.whole, *self.rows.values()]
        if not min(part.is_valid() for part in parts):  # all of them, so that no fault is missing
            for rows in self.rows.values():
                self.other_faults += [str(error) for error in rows.non_form_errors()]
            return None
        given: dict[str, Any] = {name: self.whole.cleaned_data[name] for name in WHOLE}
        given |= {name: [one.row() for one in self.used(name)] for name in self.rows}
        try:
            return checked_definition(given)
        except RubricError as error:
            self.show(error)
            return None

    def used(self, name: str) -> list[Any]:
        return [form for form in self.rows[name] if form.is_used]

    def show(self, error: RubricError) -> None:
        """Put each fault beside its field."""
        for place, sentence in error.faults.items():
            name, _, rest = place.partition(".")
            at, _, field = rest.partition(".")
            if field:
                self.used(name)[int(at)].add_error(field, sentence)
            elif name in self.whole.fields:
                self.whole.add_error(name, sentence)
            else:
                self.other_faults.append(sentence)

    def based_on(self, number: int) -> None:
        """Carry another version's number, once its writer has been shown what it changed."""
        data = self.data.copy()
        data["based_on"] = str(number)
        self.whole.data = data

    def sections(self) -> list[tuple[str, str, Any]]:
        return [
            ("Criteria", "criterion", self.rows["criteria"]),
            ("Reasons", "reason", self.rows["reasons"]),
        ]
