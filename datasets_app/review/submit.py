"""Submits reviews: validates the fields, and refuses if the evidence or the reviews changed since the form was
opened.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewClaim, RubricVersion, Sample, SuggestionAnswer
from datasets_app.models.bounds import LONGEST_ACTIVE_S
from datasets_app.models.queue import open_queue_of, policy_of
from datasets_app.models.review import ReviewQuerySet
from datasets_app.models.verdict_policy import Decision, decide
from datasets_app.review.check import ReviewError, checked_fields, typed_of
from datasets_app.review.drafts import close_draft
from datasets_app.review.rubric import current_rubric, rubric_numbered
from datasets_app.review.slots import refuse_withdrawn, require_slot


class KeyReusedError(Exception):
    """The key belongs to another submission."""


class ChangedSinceError(Exception):
    """Something that the form's writer saw has changed since the form was opened. Nothing was stored."""

    def __init__(
        self,
        reviews: list[Review],
        verified_again: bool,
        withdrawn: list[Review] | None = None,
        queue_change: str = "",
    ) -> None:
        self.reviews = reviews
        self.verified_again = verified_again
        self.withdrawn = withdrawn or []
        self.queue_change = queue_change
        sentences = [
            "The sample was reviewed or verified again since this form was opened."
            if reviews or verified_again
            else "",
            "A review of this sample was withdrawn since this form was opened." if withdrawn else "",
            queue_change,
        ]
        super().__init__(" ".join(filter(None, sentences)))

    @property
    def is_any(self) -> bool:
        return bool(self.reviews or self.verified_again or self.withdrawn or self.queue_change)


class RubricChangedError(Exception):
    """A newer version of the rubric was published since the form was opened. Nothing was stored."""

    def __init__(self, current: RubricVersion) -> None:
        super().__init__(f"Version {current.number} of the rubric was published since: review under it.")
        self.current = current


@dataclass(frozen=True)
class Seen:
    """The state that a reviewer saw when the form was opened, as a short text that the form carries."""

    review_id: int  # the newest review that was visible; 0: none
    verified: str  # when the newest verification finished, ISO 8601; empty: never
    blind: bool = False  # other people's reviews were hidden
    withdrawal_id: int = 0  # the newest visible withdrawal; 0: none
    queue: str = ""  # id and version of the open queue that the sample was in; empty: in none

    def __str__(self) -> str:
        mode = "blind" if self.blind else "open"
        return f"{mode}~{self.review_id}~{self.verified}~{self.withdrawal_id}~{self.queue}"

    @classmethod
    def of(cls, sample: Sample, reviews: Iterable[Review], blind: bool) -> "Seen":
        """Return the current state, for the form to carry; `reviews` are the visible ones."""
        reviews = list(reviews)
        newest = max((review.pk for review in reviews), default=0)
        withdrawals = (review.withdrawal.pk for review in reviews if review.is_withdrawn)
        return cls(newest, verified_text(sample), blind, max(withdrawals, default=0), queue_text(sample))

    @classmethod
    def parse(cls, text: str) -> "Seen":
        parts = text.split("~")
        if len(parts) != 5 or parts[0] not in ("blind", "open") or not all(map(is_number, parts[1::2])):
            raise ReviewError({"seen": "This is not a value from the review page or the API."})
        mode, review_id, verified, withdrawal_id, queue = parts
        return cls(int(review_id), verified, mode == "blind", int(withdrawal_id), queue)


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def visible_reviews(sample: Sample, reviewer: Any, blind: bool = False) -> ReviewQuerySet:
    """Return the sample's reviews, newest first, withdrawn ones too. Blind: only own ones, unless one stands."""
    reviews = Review.objects.for_sample(sample.pk)
    own = reviews.filter(reviewer=reviewer) if reviewer.is_authenticated else reviews.none()
    return own if blind and not own.standing().exists() else reviews


def look(sample: Sample, reviewer: Any, blind: bool = False) -> Seen:
    """Return what this reviewer would see now."""
    return Seen.of(sample, visible_reviews(sample, reviewer, blind), blind)


def verified_text(sample: Sample) -> str:
    return sample.verified_at.isoformat() if sample.verified_at else ""


def queue_text(sample: Sample) -> str:
    """Return the open queue of the sample and its version, such as 3.1; empty if it is in none."""
    queue = open_queue_of(sample.pk)
    return f"{queue.pk}.{queue.version}" if queue else ""


def queue_change(sample: Sample, seen: Seen) -> str:
    """Return what happened to the sample's queue, as a sentence; empty if nothing."""
    queue = open_queue_of(sample.pk)
    if (f"{queue.pk}.{queue.version}" if queue else "") == seen.queue:
        return ""
    if queue is None:
        return (
            "The queue of this sample was closed since this form was opened; its reviews are kept and count."
        )
    if seen.queue.partition(".")[0] == str(queue.pk):
        return (
            f"The queue {queue} was changed since this form was opened. It wants {queue.overlap} review(s) a "
            f"sample, and this decides its verdicts: {queue.effective_policy.label}."
        )
    return f"The sample was put into the queue {queue} since this form was opened."


def changes_since(sample: Sample, reviewer: Any, seen: Seen) -> ChangedSinceError | None:
    visible = visible_reviews(sample, reviewer, seen.blind)
    reviews = list(visible.filter(withdrawal__isnull=True, pk__gt=seen.review_id))
    withdrawn = list(visible.filter(withdrawal__pk__gt=seen.withdrawal_id, pk__lte=seen.review_id))
    verified_again = verified_text(sample) != seen.verified
    changed = ChangedSinceError(reviews, verified_again, withdrawn, queue_change(sample, seen))
    return changed if changed.is_any else None


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
    version = version_for(key, rubric)
    fields = checked_fields(sample, version, verdict, scores or {}, comment, reasons)
    seconds = checked_seconds(active_s)
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        if earlier := Review.objects.filter(key=key).first() if key else None:
            return same_submission(earlier, locked, reviewer, fields)
        if (current := current_rubric()).number != version.number:
            raise RubricChangedError(current)
        if seen and (changed := changes_since(locked, reviewer, seen)):
            raise changed
        refuse_withdrawn(locked)
        require_slot(locked.pk, reviewer)
        return store(locked, actor, {**fields, "active_s": seconds}, key or uuid.uuid4(), draft_seen)


def version_for(key: uuid.UUID | None, number: int | None) -> RubricVersion:
    """Return the version to check a submission against; that of the stored review if the key is a repeated one."""
    earlier = Review.objects.filter(key=key).select_related("rubric").first() if key else None
    if earlier:
        return earlier.rubric
    version = current_rubric() if number is None else rubric_numbered(number)
    if version is None:
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
