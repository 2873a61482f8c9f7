"""Suggestions that programs send: validated row by row, each stored once, and withdrawn by the account that sent it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_suggestion
from datasets_app.accounts.roles import Scope
from datasets_app.models import (
    NoteLabel,
    RubricVersion,
    Sample,
    Suggestion,
    SuggestionKind,
    SuggestionSource,
    Verdict,
)
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.identity import as_uuid
from datasets_app.models.suggestion import LONGEST_MAKER, LONGEST_VERSION
from datasets_app.review.check import score_faults
from datasets_app.review.notes import NoteError, Place, checked_place
from datasets_app.review.rubric import current_rubric
from datasets_app.review.suggestions.errors import SuggestionError
from datasets_app.text_input.validate import name_fault, prose_fault

MOST_POSTED = 200  # rows of one request
MOST_PER_SAMPLE = 100  # of models, that stand
FIELDS = ("sample", "verdict", "scores", "text", "start", "end", "digest", "label", "words", "confidence")
SAME = ("verdict", "scores", "text", "start", "end", "digest", "label", "words", "confidence", "posted_by_id")


@dataclass(frozen=True)
class Posted:
    """What became of one row: `stored`, `present` (the same was stored before) or `refused` with a sentence."""

    state: str
    suggestion: Suggestion | None = None
    error: str = ""


@needs(Scope.ANNOTATE)
def post_suggestions(
    actor: Actor, name: str, version: str, rows: Sequence[Mapping[str, Any]]
) -> list[Posted]:
    """Store the suggestions of a model, each row by itself; return what became of each, in order.

    Raises SuggestionError for an invalid name or version, or for too many rows.
    """
    person = actor.person()
    maker = checked_name("name", name, LONGEST_MAKER), checked_name("version", version, LONGEST_VERSION)
    if not 1 <= len(rows) <= MOST_POSTED:
        raise SuggestionError(f"Send 1 to {MOST_POSTED} suggestions at once; these are {len(rows):,}.")
    rubric, results = current_rubric(), []
    with transaction.atomic():
        samples = samples_of(rows)
        present = Present.of(samples, maker)
        for row in rows:
            try:
                results.append(present.add(new_suggestion(row, samples, maker, person, rubric)))
            except SuggestionError as error:
                results.append(Posted("refused", error=str(error)))
        if present.new:
            Suggestion.objects.bulk_create(present.new)
            detail = {"maker": maker[0], "version": maker[1], "count": len(present.new)}
            audit.record(actor, "suggestion.post", present.new[0], **detail)
    return results


def checked_name(what: str, value: Any, most: int) -> str:
    """Return the name or version of a model. Raises SuggestionError."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise SuggestionError(f"Give the model's {what}: people compare suggestions by name and version.")
    if fault := name_fault(f"The {what}", text, most):
        raise SuggestionError(fault)
    return text


def samples_of(rows: Sequence[Mapping[str, Any]]) -> dict[UUID, Sample]:
    """Return the samples that the rows name, locked in one order against other requests; those of spans with bodies."""
    wanted: dict[UUID, bool] = {}
    for row in rows:
        if isinstance(row, Mapping) and (pk := as_uuid(row.get("sample"))):
            wanted[pk] = wanted.get(pk, False) or bool(row.get("text"))
    locked = Sample.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    there = set(locked.values_list("pk", flat=True))
    with_span = [pk for pk in there if wanted[pk]]
    return Sample.objects.in_bulk(there - set(with_span)) | Sample.objects.with_body().in_bulk(with_span)


def new_suggestion(
    row: Mapping[str, Any],
    samples: Mapping[UUID, Sample],
    maker: tuple[str, str],
    person: Any,
    rubric: RubricVersion,
) -> Suggestion:
    """Return the suggestion of a row, not stored yet. Raises SuggestionError with a sentence."""
    if not isinstance(row, Mapping):
        raise SuggestionError(f"A suggestion is an object with: {', '.join(FIELDS)}.")
    if unknown := [str(name)[:40] for name in row if name not in FIELDS]:
        raise SuggestionError(
            f"A suggestion has no field {', '.join(unknown[:3])}; it has: {', '.join(FIELDS)}."
        )
    pk = as_uuid(row.get("sample"))
    if pk is None or pk not in samples:
        raise SuggestionError("There is no such sample: give its id.")
    sample = samples[pk]
    fields = judgement(row, sample, rubric) if row.get("text") in (None, "") else span(row, sample)
    return Suggestion(
        sample=sample,
        source=SuggestionSource.MODEL,
        maker=maker[0],
        version=maker[1],
        words=checked_words(row.get("words")),
        confidence=checked_confidence(row.get("confidence")),
        posted_by=person,
        **fields,
    )


def judgement(row: Mapping[str, Any], sample: Sample, rubric: RubricVersion) -> dict[str, Any]:
    """Return the columns of a suggested verdict, of scores, or of both."""
    verdict, scores = row.get("verdict") or "", row.get("scores") or {}
    if verdict and verdict not in Verdict.values:
        raise SuggestionError(f"A verdict is one of: {', '.join(Verdict.values)}.")
    if not isinstance(scores, Mapping):
        raise SuggestionError("Scores are an object: a criterion and its score from 1 to 5.")
    given = {name: score for name, score in scores.items() if score is not None}
    for _, fault in score_faults(sample, rubric, given):
        raise SuggestionError(fault)
    if not verdict and not given:
        raise SuggestionError("Suggest a verdict, scores, or a span (text, start, end and label).")
    return {"kind": SuggestionKind.VERDICT, "verdict": verdict, "scores": given}


def span(row: Mapping[str, Any], sample: Sample) -> dict[str, Any]:
    """Return the columns of a suggested span."""
    if row.get("verdict") or row.get("scores"):
        raise SuggestionError("A suggestion is a verdict with scores, or a span: send two.")
    if row.get("label") not in NoteLabel.values:
        raise SuggestionError(f"A span has a label: one of {', '.join(NoteLabel.values)}.")
    start, end, digest = row.get("start"), row.get("end"), row.get("digest") or ""
    if type(start) is not int or type(end) is not int or not isinstance(digest, str):
        raise SuggestionError("A span has `start` and `end`, whole numbers of code points.")
    try:
        place = checked_place(sample, Place(str(row["text"]), start, end, digest))
    except NoteError as error:
        raise SuggestionError(str(error)) from error
    return {
        "kind": SuggestionKind.SPAN,
        "label": row["label"],
        "text": place.text,
        "start": place.start,
        "end": place.end,
        "digest": place.digest,
        "basis": f"{place.text}:{place.start}-{place.end}:{place.digest[:16]}",
    }


def checked_words(value: Any) -> str:
    text = value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""
    if not text:
        raise SuggestionError("Say why in `words`: the reviewer decides by it.")
    if fault := prose_fault("`words`", text, LONGEST_REASON):
        raise SuggestionError(fault)
    return text


def checked_confidence(value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise SuggestionError("`confidence` is a number from 0 to 1, or left out.")
    return float(value)


@dataclass
class Present:
    """What is stored for the samples of a request, and the rows that it adds; the caller holds the samples' locks."""

    by_key: dict[tuple[UUID, str, str], Suggestion]  # sample, kind and basis, of this name and version
    per_sample: Counter[UUID]  # that stand, of all models
    new: list[Suggestion] = field(default_factory=list)

    @classmethod
    def of(cls, samples: Mapping[UUID, Sample], maker: tuple[str, str]) -> Present:
        by_models = Suggestion.objects.by_models().filter(sample__in=samples)
        same = by_models.filter(maker=maker[0], version=maker[1])
        counts = by_models.standing().order_by().values_list("sample").annotate(n=Count("pk"))
        return cls({(one.sample_id, one.kind, one.basis): one for one in same}, Counter(dict(counts)))

    def add(self, new: Suggestion) -> Posted:
        """Note a suggestion to be stored, or return the same one. Raises SuggestionError with a sentence."""
        key = new.sample_id, new.kind, new.basis
        if same := self.by_key.get(key):
            return self.compared(same, new)
        if self.per_sample[new.sample_id] >= MOST_PER_SAMPLE:
            raise SuggestionError(
                f"This sample has {MOST_PER_SAMPLE} suggestions of models, as many as one may."
            )
        self.by_key[key] = new
        self.per_sample[new.sample_id] += 1
        self.new.append(new)
        return Posted("stored", new)

    @staticmethod
    def compared(same: Suggestion, new: Suggestion) -> Posted:
        if same.posted_by_id != new.posted_by_id:
            raise SuggestionError("Another account sends under this name and version: choose another name.")
        if same.withdrawn_at:
            raise SuggestionError("You withdrew this suggestion: send the new one under a new version.")
        if all(getattr(same, name) == getattr(new, name) for name in SAME):
            return Posted("present", same)
        raise SuggestionError("This version suggested something else before: send it under a new version.")


@needs(Scope.ANNOTATE)
def withdraw_suggestion(suggestion: Suggestion, actor: Actor) -> None:
    """Withdraw a model's suggestion: it is offered no longer, and what reviewers made of it still counts.

    Its account and curators may; a second time changes nothing. Raises PermissionDenied.
    """
    require_suggestion(actor, suggestion.posted_by_id)
    standing = Suggestion.objects.standing().by_models().filter(pk=suggestion.pk)
    if standing.update(withdrawn_at=timezone.now()):
        audit.record(actor, "suggestion.withdraw", suggestion, maker=suggestion.maker)
