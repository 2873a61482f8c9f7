"""Suggestions as JSON Lines, out and in again: what was read back is written as the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Prefetch

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, Sample, Suggestion, SuggestionAnswer, SuggestionKind, SuggestionSource
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.suggestion import LONGEST_MAKER, LONGEST_VERSION, SuggestionQuerySet
from datasets_app.review.json_lines import (
    Imported,
    RecordError,
    account,
    import_lines,
    known_sample,
    moment,
    parsed_moment,
)
from datasets_app.review.rubric import SCORES
from datasets_app.text_input.storable import storable
from datasets_app.text_input.validate import name_fault, prose_fault

MOST_LINE_CHARS = 4_000_000  # a suggestion that some thousand reviewers have answered
BATCH = 500  # suggestions per query
PLAIN = ("source", "maker", "version", "kind", "basis", "verdict", "text", "start", "end", "digest", "label")


def exported_lines() -> Iterator[str]:
    """Yield every suggestion with its replies, withdrawn ones too, as a line of JSON, oldest first."""
    for suggestion in with_answers().order_by("created_at", "id").iterator(chunk_size=BATCH):
        yield line_of(suggestion)


def with_answers() -> SuggestionQuerySet:
    answers = SuggestionAnswer.objects.select_related("reviewer", "review").order_by("shown_at", "id")
    return Suggestion.objects.select_related("posted_by").prefetch_related(Prefetch("answers", answers))


def line_of(suggestion: Suggestion) -> str:
    return json.dumps(record_of(suggestion), ensure_ascii=False) + "\n"


def record_of(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "id": str(suggestion.pk),
        "sample": str(suggestion.sample_id),
        **{name: getattr(suggestion, name) for name in PLAIN},
        "scores": dict(sorted(suggestion.scores.items())),
        "words": suggestion.words,
        "confidence": suggestion.confidence,
        "posted_by": suggestion.posted_by.get_username() if suggestion.posted_by else None,
        "created_at": moment(suggestion.created_at),
        "withdrawn_at": moment(suggestion.withdrawn_at) if suggestion.withdrawn_at else None,
        "answers": [answer_record(answer) for answer in suggestion.answers.all()],
    }


def answer_record(answer: SuggestionAnswer) -> dict[str, Any]:
    return {
        "reviewer": answer.reviewer.get_username(),
        "shown_at": moment(answer.shown_at),
        "reply": answer.reply,
        "answered_at": moment(answer.answered_at) if answer.answered_at else None,
        "review": str(answer.review.key) if answer.review else None,
        "agreed": answer.agreed,
    }


@needs(Scope.ADMIN)
def import_suggestions(actor: Actor, lines: Iterable[str]) -> Imported:
    """Store the suggestions of exported lines, each with its replies or not at all. One that is stored already is left
    as it is."""
    return import_lines(
        lines,
        store_line,
        lambda new: audit.record(actor, "suggestion.import", new.sample, suggestion=str(new.pk)),
    )


def store_line(line: str) -> Suggestion | None:
    """Store the suggestion of a line, or return None if it is there already. Raises RecordError with a sentence."""
    suggestion, answers = parsed(line)
    if stored := with_answers().filter(pk=suggestion.pk).first():
        if line_of(stored) == line.rstrip("\r\n") + "\n":
            return None
        raise RecordError(
            f"The suggestion {suggestion.pk} is stored with other content: it is left as it is."
        )
    same = {name: getattr(suggestion, name) for name in ("source", "maker", "version", "kind", "basis")}
    if Suggestion.objects.filter(sample=suggestion.sample, **same).exists():
        raise RecordError("The same maker has suggested this for the sample already, under another id.")
    suggestion.save()
    SuggestionAnswer.objects.bulk_create(answers)
    return suggestion


def parsed(line: str) -> tuple[Suggestion, list[SuggestionAnswer]]:
    """Return the rows of a line, not stored yet."""
    if len(line) > MOST_LINE_CHARS:
        raise RecordError(f"The line is longer than {MOST_LINE_CHARS:,} characters.")
    try:
        record = json.loads(line)
        suggestion = Suggestion(
            pk=UUID(record["id"]),
            sample=known_sample(record["sample"]),
            **{name: record[name] for name in PLAIN},
            scores=record["scores"],
            words=record["words"],
            confidence=record["confidence"],
            posted_by=account(record["posted_by"]) if record["posted_by"] is not None else None,
            created_at=parsed_moment(record["created_at"]),
            withdrawn_at=optional_moment(record["withdrawn_at"]),
        )
        check(suggestion)
        answers = [answer_of(suggestion, row) for row in record["answers"]]
        if len({answer.reviewer_id for answer in answers}) < len(answers):
            raise ValueError
    except RecordError:
        raise
    except ValidationError as error:
        raise RecordError(" ".join(error.messages)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RecordError("This is not a suggestion as `manage.py suggestions export` writes it.") from error
    return suggestion, answers


def optional_moment(text: str | None) -> Any:
    return parsed_moment(text) if text is not None else None


def check(suggestion: Suggestion) -> None:
    """Raise ValidationError, RecordError or ValueError for a row that no rule and no program could have stored."""
    suggestion.clean_fields(exclude=["sample", "posted_by"])
    suggestion.validate_constraints(exclude=["sample"])
    names = (("name", suggestion.maker, LONGEST_MAKER), ("version", suggestion.version, LONGEST_VERSION))
    for what, text, most in names:
        if fault := name_fault(f"The {what}", text, most):
            raise RecordError(fault)
    if fault := prose_fault("The reason", suggestion.words, LONGEST_REASON):
        raise RecordError(fault)
    is_model = suggestion.source == SuggestionSource.MODEL
    if is_model != (suggestion.posted_by is not None) or storable(suggestion.basis) != suggestion.basis:
        raise ValueError
    scores = suggestion.scores
    if not all(storable(name) == name and type(n) is int and n in SCORES for name, n in scores.items()):
        raise ValueError
    if suggestion.kind == SuggestionKind.VERDICT and not (suggestion.verdict or scores):
        raise ValueError


def answer_of(suggestion: Suggestion, record: dict[str, Any]) -> SuggestionAnswer:
    reviewer = account(record["reviewer"])
    answer = SuggestionAnswer(
        suggestion=suggestion,
        reviewer=reviewer,
        shown_at=parsed_moment(record["shown_at"]),
        reply=record["reply"],
        answered_at=optional_moment(record["answered_at"]),
        review=review_of(record["review"], suggestion.sample, reviewer),
        agreed=record["agreed"],
    )
    answer.clean_fields(exclude=["suggestion", "reviewer", "review"])
    if (answer.review is None) != (answer.agreed is None):
        raise ValueError
    return answer


def review_of(key: str | None, sample: Sample, reviewer: Any) -> Review | None:
    if key is None:
        return None
    review = Review.objects.filter(key=UUID(key), sample=sample, reviewer=reviewer).first()
    if review is None:
        raise RecordError(
            f"There is no review {UUID(key)} of this sample by {reviewer}: import the reviews first."
        )
    return review
