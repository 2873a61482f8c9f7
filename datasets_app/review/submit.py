"""Submits reviews: validates the fields, and refuses if what the reviewer saw has changed since the form was opened."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewClaim, RubricVersion, Sample, SuggestionAnswer
from datasets_app.models.bounds import LONGEST_ACTIVE_S
from datasets_app.models.queue import policy_of
from datasets_app.models.verdict_policy import Decision, decide
from datasets_app.review.check import ReviewError, checked_fields, typed_of
from datasets_app.review.drafts import close_draft
from datasets_app.review.rubric import current_rubric, rubric_numbered
from datasets_app.review.seen import Judgements, Seen
from datasets_app.review.slots import refuse_withdrawn, require_slot


class KeyReusedError(Exception):
    """The key belongs to another submission."""


class RubricChangedError(Exception):
    """A newer version of the rubric was published since the form was opened. Nothing was stored."""

    def __init__(self, current: RubricVersion) -> None:
        super().__init__(f"Version {current.number} of the rubric was published since: review under it.")
        self.current = current


@needs(Scope.ANNOTATE)
def submit_review(
    sample: Sample,
    actor: Actor,
    verdict: str,
    scores: Mapping[str, Any] | None = None,
    comment: str = "",
    key: uuid.UUID | None = None,
    seen: Seen | None = None,
    draft_seen: int | None = None,
    reasons: Sequence[str] = (),
    rubric: int | None = None,
    active_s: int | None = None,
) -> Review:
    """Store a review and what the sample's reviews now decide. A repeated key stores nothing new.

    `rubric` is the version that the form was opened with; None is the newest one. `draft_seen` is the version of the
    draft that the form is based on: a newer text of another page is kept. `active_s` is no part of the judgement: a
    repeated key may come with another one, which is ignored. Raises PermissionDenied, ReviewError (invalid fields),
    KeyReusedError (the key was used for another review), RubricChangedError (`rubric` is given and outdated),
    ChangedSinceError (`seen` is given and outdated) and NoSlotError (the sample's queue wants no such review).
    """
    reviewer = actor.person()
    seconds = checked_seconds(active_s)
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        earlier = Review.objects.filter(key=key).select_related("rubric").first() if key else None
        current = current_rubric()
        version = earlier.rubric if earlier else version_numbered(rubric, current)
        fields = checked_fields(sample, version, verdict, scores or {}, comment, reasons)
        if earlier:
            return same_submission(earlier, locked, reviewer, fields)
        if version != current:
            raise RubricChangedError(current)
        judgements = Judgements.of(locked)
        if seen and (changed := judgements.changes_since(reviewer, seen)):
            raise changed
        refuse_withdrawn(locked)
        require_slot(judgements, reviewer)
        return store(locked, actor, {**fields, "active_s": seconds}, key or uuid.uuid4(), draft_seen)


def version_numbered(number: int | None, current: RubricVersion) -> RubricVersion:
    """Return the version that a form was opened with; without a number, the current one."""
    if number is None or number == current.number:
        return current
    if (version := rubric_numbered(number)) is None:
        raise ReviewError({"rubric": f"The rubric has no version {number}."})
    return version


def checked_seconds(active_s: int | None) -> int | None:
    if active_s is not None and not 0 <= active_s <= LONGEST_ACTIVE_S:
        raise ReviewError({"active_s": f"Active seconds are a whole number from 0 to {LONGEST_ACTIVE_S:,}."})
    return active_s


def store(
    sample: Sample, actor: Actor, fields: dict[str, Any], key: uuid.UUID, draft_seen: int | None
) -> Review:
    reviewer = actor.person()
    review = create(sample, reviewer, key, fields)
    record_decision(sample)
    SuggestionAnswer.objects.settle(review)
    close_draft(sample, reviewer, key, typed_of(review), draft_seen)
    ReviewClaim.objects.filter(sample=sample, reviewer=reviewer).delete()
    audit.record(actor, "review.submit", sample, review=review.pk, verdict=review.verdict)
    return review


def create(sample: Sample, reviewer: Any, key: uuid.UUID, fields: dict[str, Any]) -> Review:
    try:
        with transaction.atomic():
            return Review.objects.create(sample=sample, reviewer=reviewer, key=key, **fields)
    except IntegrityError as error:  # two samples at once with one key
        raise KeyReusedError(f"The key {key} belongs to another review.") from error


def record_decision(sample: Sample) -> Decision:
    """Store on the sample what its reviews decide by its policy; the caller holds the sample's lock."""
    decision = decide(Review.objects.standing().filter(sample=sample), policy_of(sample.pk))
    sample.record_verdict(**decision.columns())
    return decision


def same_submission(review: Review, sample: Sample, reviewer: Any, fields: dict[str, Any]) -> Review:
    """Return the stored review if the repeated key came with the same content; otherwise raise KeyReusedError."""
    same = review.sample_id == sample.pk and review.reviewer_id == reviewer.pk
    content = {name: value for name, value in fields.items() if name != "rubric_id"}
    if same and all(getattr(review, name) == value for name, value in content.items()):
        return review
    raise KeyReusedError(f"The key {review.key} was already used for a review with other content.")


def last_review(reviewer: Any) -> Review | None:
    """Return this reviewer's newest review, which undo reopens; an adjudication or a withdrawn one is not."""
    return Review.objects.votes().filter(reviewer=reviewer).select_related("sample__task").first()
