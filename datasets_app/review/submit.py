"""Submits reviews: validates the fields, and refuses if what the reviewer saw has changed since the form was opened."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Subquery, prefetch_related_objects

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewClaim, RubricVersion, Sample, SuggestionAnswer
from datasets_app.models.bounds import LONGEST_ACTIVE_S
from datasets_app.models.queue import policy_of
from datasets_app.models.verdict_policy import Decision, VerdictPolicy, decide
from datasets_app.review.check import ReviewError, checked_fields, typed_of
from datasets_app.review.drafts import close_draft
from datasets_app.review.rubric import current_rubric, rubric_numbered
from datasets_app.review.seen import Judgements, Seen
from datasets_app.review.slots import refuse_withdrawn, require_slot

HONEYPOT = ("honeypot__answer", "honeypot__family", "honeypot__explanation")  # told after the save


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
    rubric: RubricVersion | int | None = None,
    active_s: int | None = None,
) -> Review:
    """Store a review and what the sample's reviews now decide. A repeated key stores nothing new.

    `rubric` is the version that the form was opened with, or its number; None is the newest one. `draft_seen` is the
    version of the draft that the form is based on: a newer text of another page is kept. `active_s` is no part of the
    judgement: a repeated key may come with another one, which is ignored. Raises PermissionDenied, ReviewError (invalid
    fields), KeyReusedError (the key was used for another review), RubricChangedError (`rubric` is given and outdated),
    ChangedSinceError (`seen` is given and outdated) and NoSlotError (the sample's queue wants no such review).
    """
    reviewer = actor.person()
    seconds = checked_seconds(active_s)
    with transaction.atomic():
        locked = locked_sample(sample.pk)
        judgements = Judgements.of(locked, to_show=False)
        earlier = next((one for one in judgements.reviews if key and one.key == key), None)
        version = earlier.rubric if earlier else named_version(rubric)
        fields = checked_fields(locked, version, verdict, scores or {}, comment, reasons)
        if earlier:
            return same_submission(earlier, locked, reviewer, fields)
        if version.number != locked.newest_rubric:
            raise RubricChangedError(current_rubric())
        if seen and (changed := judgements.changes_since(actor, seen)):
            prefetch_related_objects(changed.reviews, "reviewer", "rubric")  # they are shown now
            prefetch_related_objects(changed.withdrawn, "reviewer", "rubric", "withdrawal__withdrawn_by")
            raise changed
        refuse_withdrawn(locked)
        require_slot(judgements, reviewer)
        return store(judgements, actor, {**fields, "active_s": seconds}, key or uuid.uuid4(), draft_seen)


def locked_sample(pk: Any) -> Any:
    """Return the sample with its row locked, the rubric's newest version as `newest_rubric`, and its honeypot, if any:
    one query for what a save needs.
    """
    newest = RubricVersion.objects.order_by("-number").values("number")[:1]
    rows = Sample.objects.select_for_update(no_key=True, of=("self",)).select_related("honeypot")
    rows = rows.only("has_trace", "verified_at", "withdrawn", "votes", *HONEYPOT)
    return rows.annotate(newest_rubric=Subquery(newest)).get(pk=pk)


def named_version(rubric: RubricVersion | int | None) -> RubricVersion:
    """Return the version that a form was opened with; without a number, the current one."""
    if isinstance(rubric, RubricVersion):
        return rubric
    if rubric is None:
        return current_rubric()
    if (version := rubric_numbered(rubric)) is None:
        raise ReviewError({"rubric": f"The rubric has no version {rubric}."})
    return version


def checked_seconds(active_s: int | None) -> int | None:
    if active_s is not None and not 0 <= active_s <= LONGEST_ACTIVE_S:
        raise ReviewError({"active_s": f"Active seconds are a whole number from 0 to {LONGEST_ACTIVE_S:,}."})
    return active_s


def store(
    judgements: Judgements, actor: Actor, fields: dict[str, Any], key: uuid.UUID, draft_seen: int | None
) -> Review:
    sample, reviewer = judgements.sample, actor.person()
    review = create(sample, reviewer, key, fields)
    Review._meta.get_field("withdrawal").set_cached_value(review, None)  # a new one has none: no query
    record(sample, [review, *judgements.reviews], judgements.policy)
    SuggestionAnswer.objects.settle(review)
    close_draft(sample, reviewer, key, typed_of(review), draft_seen)
    ReviewClaim.objects.filter(sample=sample, reviewer=reviewer).delete()
    audit.record(actor, "review.submit", sample, review=review.pk, verdict=review.verdict)
    return review


def create(sample: Sample, reviewer: Any, key: uuid.UUID, fields: dict[str, Any]) -> Review:
    """Store the review. The caller's transaction ends with KeyReusedError, as every other error does."""
    try:
        return Review.objects.create(sample=sample, reviewer=reviewer, key=key, **fields)
    except IntegrityError as error:  # the key of another sample's review
        raise KeyReusedError(f"The key {key} belongs to another review.") from error


def record_decision(sample: Sample) -> Decision:
    """Store on the sample what its reviews decide by its policy; the caller holds the sample's lock."""
    return record(sample, Review.objects.standing().filter(sample=sample), policy_of(sample.pk))


def record(sample: Sample, reviews: Iterable[Review], policy: VerdictPolicy) -> Decision:
    newest_first = sorted(reviews, key=lambda one: (one.created_at, one.pk), reverse=True)
    decision = decide(newest_first, policy)
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
    """Return this reviewer's newest review, which undo reopens; an adjudication or a withdrawn one is not. Of its
    sample the name alone is read."""
    mine = Review.objects.votes().filter(reviewer=reviewer).select_related("sample__task")
    own = [field.name for field in Review._meta.concrete_fields]
    return mine.only(*own, "withdrawal", "sample__task__name").first()
