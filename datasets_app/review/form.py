"""The review page's form: the rubric of one sample, a verdict, a comment, and fields that make submission safe."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from datasets_app.models import Review, RubricVersion, Sample, Verdict
from datasets_app.models.bounds import LONGEST_ACTIVE_S
from datasets_app.models.rubric import Criterion, Reason
from datasets_app.review.check import LONGEST_COMMENT, ReviewError, typed_of
from datasets_app.review.rubric import SCORES, VERDICTS, Choice, criteria_for, reason_field, rubric_of_text
from datasets_app.review.seen import Seen
from datasets_app.text_input.numbers import whole_number


class Row(NamedTuple):
    """One criterion as shown on the page; `options` are its radio buttons."""

    criterion: Criterion
    options: SafeString
    errors: list[str]


class ReasonBox(NamedTuple):
    """One reason as shown on the page."""

    reason: Reason
    field: str
    checked: bool
    goes_with: str  # titles of verdicts; empty: any


class Moved(NamedTuple):
    """The input of a form was typed under an older version; `left_out` is what the newer one does not ask."""

    number: int
    left_out: list[str]


class ReviewForm(forms.Form):
    verdict = forms.ChoiceField(
        choices=Verdict.choices, error_messages={"required": "Choose a verdict: A, F or R."}
    )
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT, strip=False)
    key = forms.UUIDField()
    seen = forms.CharField(max_length=100)
    draft = forms.IntegerField(required=False, min_value=0)  # the version that this page was opened with
    active_s = forms.CharField(required=False)  # measured by the page: refuses no review
    reasons = forms.Field(required=False)  # carries the errors of all reasons

    def __init__(self, sample: Sample, rubric: RubricVersion, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.sample = sample
        self.rubric = rubric
        self.moved: Moved | None = None
        self.criteria = criteria_for(rubric, sample)
        for criterion in self.criteria:
            self.fields[criterion.name] = forms.TypedChoiceField(
                choices=[(score, score) for score in SCORES], coerce=int, empty_value=None, required=False
            )
        for reason in rubric.reason_list:
            self.fields[reason_field(reason.code)] = forms.BooleanField(required=False)

    def clean_active_s(self) -> int | None:
        active_s = whole_number(self.cleaned_data["active_s"], 0, 10**9)
        return None if active_s is None else min(active_s, LONGEST_ACTIVE_S)

    def clean_seen(self) -> Seen:
        try:
            return Seen.parse(self.cleaned_data["seen"])
        except ReviewError as error:
            raise forms.ValidationError(error.errors["seen"]) from error

    def rows(self) -> Iterator[Row]:
        for criterion in self.criteria:
            field = self[criterion.name]
            options = score_options(criterion.name, str(field.value()))
            yield Row(criterion, options, [str(error) for error in field.errors])

    def reason_boxes(self) -> Iterator[ReasonBox]:
        titles = {choice.verdict: choice.title.lower() for choice in VERDICTS}
        for reason in self.rubric.reason_list:
            name = reason_field(reason.code)
            goes_with = " or ".join(titles[Verdict(verdict)] for verdict in reason.verdicts)
            yield ReasonBox(reason, name, bool(self[name].value()), goes_with)

    def choices(self) -> list[tuple[Choice, bool]]:
        chosen = self["verdict"].value()
        return [(choice, choice.verdict == chosen) for choice in VERDICTS]

    def scores(self) -> dict[str, int | None]:
        return {criterion.name: self.cleaned_data[criterion.name] for criterion in self.criteria}

    def reasons_given(self) -> list[str]:
        codes = [reason.code for reason in self.rubric.reason_list]
        return [code for code in codes if self.cleaned_data[reason_field(code)]]

    def renewed(self, seen: Seen, new_key: bool) -> "ReviewForm":
        """Return the same input in a form that carries what its writer sees now."""
        data = dict(self.data.items())
        data["seen"] = str(seen)
        if new_key:
            data["key"] = str(uuid.uuid4())
        return ReviewForm(self.sample, self.rubric, data)

    def under(self, rubric: RubricVersion) -> "ReviewForm":
        """Return the same input under another version, and say what that one does not ask."""
        if rubric.number == self.rubric.number:
            return self
        form = ReviewForm(self.sample, rubric, {**dict(self.data.items()), "rubric": str(rubric.number)})
        form.moved = moved(self.data, self.rubric, rubric)
        return form


def score_options(name: str, chosen: str) -> SafeString:
    """Return the radio buttons of a criterion: twenty on each review page, which a template makes ten times slower."""
    return format_html_join(
        "",
        '<label class="score"><input type="radio" name="{0}" value="{1}" {2} aria-describedby="meaning-{0}">'
        "<span>{1}</span></label>",
        ((name, score, "checked" if str(score) == chosen else "") for score in SCORES),
    )


def posted_form(sample: Sample, data: Mapping[str, Any]) -> ReviewForm:
    """Return the form of a request under the version that it was opened with."""
    return ReviewForm(sample, rubric_of_text(data.get("rubric")), data)


def opened(
    sample: Sample, rubric: RubricVersion, seen: Seen, fields: Mapping[str, Any], draft: int = 0
) -> ReviewForm:
    """Return a form with a new key, filled from a draft (of version `draft`) or an earlier review."""
    initial = {**fields, "key": uuid.uuid4(), "seen": str(seen), "draft": draft}
    form = ReviewForm(sample, rubric, initial=initial)
    if fields.get("rubric", str(rubric.number)) != str(rubric.number):
        form.moved = moved(fields, rubric_of_text(fields["rubric"]), rubric)
    return form


def moved(fields: Mapping[str, Any], older: RubricVersion, newer: RubricVersion) -> Moved:
    names = {one.name for one in newer.criterion_list}
    codes = {one.code for one in newer.reason_list}
    scores = [
        f"{one.title} {str(fields[one.name])[:5]}"
        for one in older.criterion_list
        if one.name not in names and fields.get(one.name)
    ]
    reasons = [
        one.title for one in older.reason_list if one.code not in codes and fields.get(reason_field(one.code))
    ]
    return Moved(older.number, scores + reasons)


def typed_fields(data: Mapping[str, Any], rubric: RubricVersion | None = None) -> dict[str, str]:
    """Return a request's non-empty fields of a draft, truncated to the maximum length of a comment, with the version
    that they were typed under; `rubric` is that version if it has been read already.
    """
    rubric = rubric or rubric_of_text(data.get("rubric"))
    names = ["verdict", *(one.name for one in rubric.criterion_list)]
    names += [reason_field(one.code) for one in rubric.reason_list]
    typed = {name: str(data[name])[:LONGEST_COMMENT] for name in (*names, "comment") if data.get(name)}
    return {**typed, "rubric": str(rubric.number)} if typed else {}


def fields_of(review: Review) -> dict[str, Any]:
    return dict(typed_of(review))
