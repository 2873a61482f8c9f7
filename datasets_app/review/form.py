"""The review page's form: the rubric of one sample, a verdict, a comment, and fields that make submission safe."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms

from datasets_app.models import Review, Sample, Verdict
from datasets_app.review.rubric import CRITERIA, SCORES, VERDICTS, Choice, Criterion, rubric_for
from datasets_app.review.submit import LONGEST_COMMENT, ReviewError, Seen

TYPED = ("verdict", *CRITERIA, "comment")  # fields of a draft


class Option(NamedTuple):
    value: int
    checked: bool


class Row(NamedTuple):
    """One criterion as shown on the page."""

    criterion: Criterion
    options: list[Option]
    errors: list[str]


class ReviewForm(forms.Form):
    verdict = forms.ChoiceField(
        choices=Verdict.choices, error_messages={"required": "Choose a verdict: A, F or R."}
    )
    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT, strip=False)
    key = forms.UUIDField()
    seen = forms.CharField(max_length=100)
    draft = forms.IntegerField(required=False, min_value=0)  # the version that this page was opened with

    def __init__(self, sample: Sample, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.sample = sample
        self.rubric = rubric_for(sample)
        for criterion in self.rubric:
            self.fields[criterion.name] = forms.TypedChoiceField(
                choices=[(score, score) for score in SCORES], coerce=int, empty_value=None, required=False
            )

    def clean_seen(self) -> Seen:
        try:
            return Seen.parse(self.cleaned_data["seen"])
        except ReviewError as error:
            raise forms.ValidationError(error.errors["seen"]) from error

    def rows(self) -> Iterator[Row]:
        for criterion in self.rubric:
            field = self[criterion.name]
            options = [Option(score, str(field.value()) == str(score)) for score in SCORES]
            yield Row(criterion, options, [str(error) for error in field.errors])

    def choices(self) -> list[tuple[Choice, bool]]:
        chosen = self["verdict"].value()
        return [(choice, choice.verdict == chosen) for choice in VERDICTS]

    def scores(self) -> dict[str, int | None]:
        return {criterion.name: self.cleaned_data[criterion.name] for criterion in self.rubric}

    def renewed(self, seen: Seen, new_key: bool) -> "ReviewForm":
        """Return the same input in a form that carries what its writer sees now."""
        data = dict(self.data.items())
        data["seen"] = str(seen)
        if new_key:
            data["key"] = str(uuid.uuid4())
        return ReviewForm(self.sample, data)


def opened(sample: Sample, seen: Seen, fields: Mapping[str, Any], draft: int = 0) -> ReviewForm:
    """Return a form with a new key, filled from a draft (of version `draft`) or an earlier review."""
    return ReviewForm(sample, initial={**fields, "key": uuid.uuid4(), "seen": str(seen), "draft": draft})


def typed_fields(data: Mapping[str, Any]) -> dict[str, str]:
    """Return a request's non-empty fields of a draft, truncated to the maximum length of a comment."""
    return {name: str(data[name])[:LONGEST_COMMENT] for name in TYPED if data.get(name)}


def fields_of(review: Review) -> dict[str, Any]:
    return {name: getattr(review, name) for name in TYPED}
