"""Reviews as JSON Lines, out and in again: what was read back is written as the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewWithdrawal, RubricVersion, Sample
from datasets_app.models.review import ReviewKind
from datasets_app.review.check import ReviewError, checked_fields
from datasets_app.review.json_lines import (
    Imported,
    RecordError,
    account,
    import_lines,
    known_sample,
    moment,
    parsed_moment,
    withdrawal_record,
)
from datasets_app.review.submit import checked_seconds, record_decision
from datasets_app.review.withdraw import checked_reason

MOST_LINE_CHARS = 400_000  # the longest comment and reason, escaped, are a third of it
BATCH = 500  # reviews per query


def exported_lines() -> Iterator[str]:
    """Yield every review, adjudications and withdrawn ones too, as a line of JSON, oldest first."""
    for review in Review.objects.with_reviewer().order_by("created_at", "key").iterator(BATCH):
        yield line_of(review)


def line_of(review: Review) -> str:
    return json.dumps(record_of(review), ensure_ascii=False) + "\n"


def record_of(review: Review) -> dict[str, Any]:
    names = [one.name for one in review.rubric.criterion_list if one.name in review.scores]
    return {
        "id": str(review.key),
        "sample": str(review.sample_id),
        "reviewer": review.reviewer.get_username(),
        "kind": review.kind,
        "verdict": review.verdict,
        "rubric": review.rubric_id,
        "scores": {name: review.scores[name] for name in names},
        "reasons": review.reasons,
        "comment": review.comment,
        "active_s": review.active_s,
        "created_at": moment(review.created_at),
        "withdrawal": withdrawal_record(review.withdrawal) if review.is_withdrawn else None,
    }


@needs(Scope.ADMIN)
def import_reviews(actor: Actor, lines: Iterable[str]) -> Imported:
    """Store the reviews of exported lines, and what they decide. One that is stored already is left as it is."""
    return import_lines(
        lines,
        store_line,
        lambda new: audit.record(actor, "review.import", new.sample, review=new.pk),
    )


def store_line(line: str) -> Review | None:
    """Store the review of a line, or return None if it is there already. Raises RecordError with a sentence.

    An import takes no slot of a queue: what people decided elsewhere was decided.
    """
    review, withdrawal = parsed(line)
    locked = Sample.objects.select_for_update(no_key=True).get(pk=review.sample_id)
    if stored := Review.objects.with_reviewer().filter(key=review.key).first():
        if line_of(stored) == line.rstrip("\r\n") + "\n":
            return None
        raise RecordError(f"The review {review.key} is stored with other content: it is left as it is.")
    review.save()
    if withdrawal:
        withdrawal.save()
    record_decision(locked)
    return review


def parsed(line: str) -> tuple[Review, ReviewWithdrawal | None]:
    """Return the rows of a line, not stored yet."""
    if len(line) > MOST_LINE_CHARS:
        raise RecordError(f"The line is longer than {MOST_LINE_CHARS:,} characters.")
    try:
        record = json.loads(line)
        sample = known_sample(record["sample"])
        kind = ReviewKind(record["kind"])
        review = Review(
            key=UUID(record["id"]),
            sample=sample,
            reviewer=account(record["reviewer"]),
            kind=kind,
            created_at=parsed_moment(record["created_at"]),
            active_s=known_seconds(record["active_s"]),
            **judged(record, sample, kind),
        )
        return review, withdrawal_of(review, record["withdrawal"])
    except RecordError:
        raise
    except ReviewError as error:
        raise RecordError(str(error)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RecordError("This is not a review as `manage.py reviews export` writes it.") from error


def judged(record: dict[str, Any], sample: Sample, kind: ReviewKind) -> dict[str, Any]:
    """Return the columns that the rubric checks, as they would be stored, and refuse what would be stored otherwise."""
    names = ("verdict", "scores", "comment", "reasons")
    given = {name: record[name] for name in names}
    fields = checked_fields(
        sample, known_rubric(record["rubric"]), **given, adjudicates=kind == ReviewKind.ADJUDICATION
    )
    if any(fields[name] != given[name] for name in names):
        raise ValueError
    return fields


def known_seconds(seconds: Any) -> int | None:
    if seconds is not None and type(seconds) is not int:
        raise ValueError
    return checked_seconds(seconds)


def known_rubric(number: Any) -> RubricVersion:
    if type(number) is not int:
        raise ValueError
    rubric = RubricVersion.objects.filter(number=number).first()
    if rubric is None:
        raise RecordError(f"This site has no version {number} of the rubric: publish it first.")
    return rubric


def withdrawal_of(review: Review, record: dict[str, Any] | None) -> ReviewWithdrawal | None:
    if record is None:
        return None
    if checked_reason(record["reason"]) != record["reason"]:
        raise ValueError
    return ReviewWithdrawal(
        review=review,
        withdrawn_by=account(record["withdrawn_by"]),
        reason=record["reason"],
        created_at=parsed_moment(record["created_at"]),
    )
