"""What a reviewer sees of a sample's judgements, and what has changed since a form was opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewQueue, Sample
from datasets_app.models.queue import QueueOfSample
from datasets_app.models.verdict_policy import VerdictPolicy, current_policy
from datasets_app.review.check import ReviewError
from datasets_app.text_input.numbers import LARGEST_ID, whole_number


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


@dataclass(frozen=True)
class Seen:
    """The state that a reviewer saw when the form was opened, as a short text that the form carries."""

    review_id: int  # the newest review that was visible; 0: none
    verified: str  # when the newest verification finished, ISO 8601; empty: never
    blind: bool = False  # other people's reviews were hidden
    withdrawal_id: int = 0  # the newest visible withdrawal; 0: none
    queue: str = ""  # id and version of the open queue that the sample was in, such as 3.1; empty: in none

    def __str__(self) -> str:
        mode = "blind" if self.blind else "open"
        return f"{mode}~{self.review_id}~{self.verified}~{self.withdrawal_id}~{self.queue}"

    @classmethod
    def parse(cls, text: str) -> Seen:
        parts = text.split("~")
        if len(parts) != 5 or parts[0] not in ("blind", "open") or not all(map(is_number, parts[1::2])):
            raise ReviewError({"seen": "This is not a value from the review page or the API."})
        mode, review_id, verified, withdrawal_id, queue = parts
        return cls(int(review_id), verified, mode == "blind", int(withdrawal_id), queue)


def is_number(text: str) -> bool:
    return whole_number(text, 0, LARGEST_ID) is not None


@dataclass(frozen=True)
class Judgements:
    """The reviews of a sample, the open queue that it is in, and the policy that decides it, read once."""

    sample: Sample
    reviews: list[Review]  # newest first, withdrawn ones too
    queue: ReviewQueue | None
    policy: VerdictPolicy

    @classmethod
    def of(cls, sample: Sample, *, to_show: bool = True) -> Judgements:
        """Read them in two queries; the people and the rubrics of the reviews only `to_show` them."""
        reviews = Review.objects.filter(sample=sample.pk).select_related("withdrawal")
        held = QueueOfSample.of(sample.pk)
        return cls(sample, list(reviews.with_reviewer() if to_show else reviews), held.open, held.policy)

    @classmethod
    def none(cls, sample: Sample) -> Judgements:
        """Return those of a sample that has neither reviews nor a queue; no query."""
        return cls(sample, [], None, current_policy())

    def visible_to(self, reviewer: Any, blind: bool = False) -> list[Review]:
        """Return the reviews, withdrawn ones too. Blind: only own ones, unless one of these stands."""
        own = [one for one in self.reviews if one.reviewer_id == reviewer.pk]
        return own if blind and all(one.is_withdrawn for one in own) else self.reviews

    def seen_by(self, reviewer: Any, blind: bool = False) -> Seen:
        """Return the current state, for a form to carry."""
        visible = self.visible_to(reviewer, blind)
        newest = max((one.pk for one in visible), default=0)
        withdrawals = (one.withdrawal.pk for one in visible if one.is_withdrawn)
        verified = verified_text(self.sample)
        return Seen(newest, verified, blind, max(withdrawals, default=0), queue_text(self.queue))

    def is_blind_to(self, actor: Actor) -> bool:
        """Return whether other people's reviews are hidden from the actor, as `blind.is_blind_to`; no query."""
        in_blind_queue = self.queue is not None and self.queue.blind
        return not actor.may(Scope.CURATE) and (settings.REVIEW_BLIND or in_blind_queue)

    def changes_since(self, actor: Actor, seen: Seen) -> ChangedSinceError | None:
        """Return what has changed; None if nothing has. A form that says it was not blind shows nobody more."""
        visible = self.visible_to(actor.person(), seen.blind or self.is_blind_to(actor))
        changed = ChangedSinceError(
            [one for one in visible if not one.is_withdrawn and one.pk > seen.review_id],
            verified_text(self.sample) != seen.verified,
            [one for one in visible if is_withdrawn_since(one, seen)],
            queue_change(self.queue, seen),
        )
        return changed if changed.is_any else None


def is_withdrawn_since(review: Review, seen: Seen) -> bool:
    return review.is_withdrawn and review.withdrawal.pk > seen.withdrawal_id and review.pk <= seen.review_id


def verified_text(sample: Sample) -> str:
    return sample.verified_at.isoformat() if sample.verified_at else ""


def queue_text(queue: ReviewQueue | None) -> str:
    return f"{queue.pk}.{queue.version}" if queue else ""


def queue_change(queue: ReviewQueue | None, seen: Seen) -> str:
    """Return what happened to the queue that the sample was or is in, as a sentence; empty if nothing."""
    if queue_text(queue) == seen.queue:
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


def look(sample: Sample, reviewer: Any, blind: bool = False) -> Seen:
    """Return what this reviewer would see now."""
    return Judgements.of(sample).seen_by(reviewer, blind)


def changes_since(sample: Sample, actor: Actor, seen: Seen) -> ChangedSinceError | None:
    """Return what has changed for this actor; None if nothing has."""
    return Judgements.of(sample).changes_since(actor, seen)
