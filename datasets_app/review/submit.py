"""Submits reviews: validates the fields, and refuses if the evidence or the reviews changed since the form was
opened.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewClaim, Sample, Verdict
from datasets_app.models.bounds import LONGEST_TEXT
from datasets_app.models.review import ReviewQuerySet
from datasets_app.review.drafts import close_draft
from datasets_app.review.rubric import CRITERIA, SCORES, rubric_for
from datasets_app.text_input.validate import prose_fault

LONGEST_COMMENT = LONGEST_TEXT


class ReviewError(ValueError):
    """Invalid fields; `errors` maps a field to a sentence."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class KeyReusedError(Exception):
    """The key belongs to another submission."""


class ChangedSinceError(Exception):
    """The sample was reviewed or verified again since the form was opened. Nothing was stored."""

    def __init__(self, reviews: list[Review], verified_again: bool) -> None:
        super().__init__("The sample was reviewed or verified again since this form was opened.")
        self.reviews = reviews
        self.verified_again = verified_again


@dataclass(frozen=True)
class Seen:
    """The state that a reviewer saw when the form was opened, as a short text that the form carries."""

    review_id: int  # the newest review that was visible; 0: none
    verified: str  # when the newest verification finished, ISO 8601; empty: never
    blind: bool = False  # other people's reviews were hidden

    def __str__(self) -> str:
        return f"{'blind' if self.blind else 'open'}~{self.review_id}~{self.verified}"

    @classmethod
    def of(cls, sample: Sample, reviews: Iterable[Review], blind: bool) -> "Seen":
        """Return the current state, for the form to carry; `reviews` are the visible ones."""
        newest = max((review.pk for review in reviews), default=0)
        return cls(newest, verified_text(sample), blind)

    @classmethod
    def parse(cls, text: str) -> "Seen":
        mode, _, rest = text.partition("~")
        review_id, _, verified = rest.partition("~")
        is_number = review_id.isascii() and review_id.isdigit() and len(review_id) < 19
        if mode not in ("blind", "open") or not is_number:
            raise ReviewError({"seen": "This is not a value from the review page or the API."})
        return cls(int(review_id), verified, mode == "blind")


def visible_reviews(sample: Sample, reviewer: Any, blind: bool = False) -> ReviewQuerySet:
    """Return the sample's reviews, newest first. Blind: only own ones, until the reviewer has submitted one."""
    reviews = Review.objects.for_sample(sample.pk)
    own = reviews.filter(reviewer=reviewer) if reviewer.is_authenticated else reviews.none()
    return own if blind and not own.exists() else reviews


def look(sample: Sample, reviewer: Any, blind: bool = False) -> Seen:
    """Return what this reviewer would see now."""
    return Seen.of(sample, visible_reviews(sample, reviewer, blind), blind)


def verified_text(sample: Sample) -> str:
    return sample.verified_at.isoformat() if sample.verified_at else ""


def is_blind_to(actor: Actor) -> bool:
    """Return whether this site hides other people's reviews from the actor; curators see them."""
    return settings.REVIEW_BLIND and not actor.may(Scope.CURATE)


def readable_reviews(actor: Actor) -> ReviewQuerySet:
    """Return reviews of all samples; in blind review only of those that the reader has reviewed."""
    if not is_blind_to(actor):
        return Review.objects.all()
    return Review.objects.filter(sample__in=Review.objects.filter(reviewer=actor.user).values("sample"))


def changes_since(sample: Sample, reviewer: Any, seen: Seen) -> ChangedSinceError | None:
    reviews = list(visible_reviews(sample, reviewer, seen.blind).filter(pk__gt=seen.review_id))
    verified_again = verified_text(sample) != seen.verified
    return ChangedSinceError(reviews, verified_again) if reviews or verified_again else None


@needs(Scope.ANNOTATE)
def submit_review(
    sample: Sample,
    actor: Actor,
    verdict: str,
    scores: Mapping[str, int | None] | None = None,
    comment: str = "",
    key: uuid.UUID | None = None,
    seen: Seen | None = None,
    draft_seen: int | None = None,
) -> Review:
    """Store a review; the newest one is the sample's verdict. A repeated key stores nothing new.

    `draft_seen` is the version of the draft that the form is based on: a newer text of another page is kept. Raises
    PermissionDenied, ReviewError (invalid fields), KeyReusedError (the key was used for another review) and
    ChangedSinceError (`seen` is given and outdated).
    """
    reviewer = actor.person()
    fields = checked_fields(sample, verdict, scores or {}, comment)
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        if earlier := Review.objects.filter(key=key).first() if key else None:
            return same_submission(earlier, locked, reviewer, fields)
        if seen and (changed := changes_since(locked, reviewer, seen)):
            raise changed
        return store(locked, actor, fields, key or uuid.uuid4(), draft_seen)


def store(
    sample: Sample, actor: Actor, fields: dict[str, Any], key: uuid.UUID, draft_seen: int | None
) -> Review:
    reviewer = actor.person()
    try:
        with transaction.atomic():
            review = Review.objects.create(sample=sample, reviewer=reviewer, key=key, **fields)
    except IntegrityError as error:  # two samples at once with one key
        raise KeyReusedError(f"The key {key} belongs to another review.") from error
    sample.record_verdict(verdict=review.verdict, reviewed_at=review.created_at)
    typed = {name: str(value) for name, value in fields.items() if value}
    close_draft(sample, reviewer, key, typed, draft_seen)
    ReviewClaim.objects.filter(sample=sample, reviewer=reviewer).delete()
    audit.record(actor, "review.submit", sample, review=review.pk, verdict=review.verdict)
    return review


def same_submission(review: Review, sample: Sample, reviewer: Any, fields: dict[str, Any]) -> Review:
    """Return the stored review if the repeated key came with the same content; otherwise raise KeyReusedError."""
    same = review.sample_id == sample.pk and review.reviewer_id == reviewer.pk
    if same and all(getattr(review, name) == value for name, value in fields.items()):
        return review
    raise KeyReusedError(f"The key {review.key} was already used for a review with other content.")


def checked_fields(sample: Sample, verdict: str, scores: Mapping[str, Any], comment: str) -> dict[str, Any]:
    """Return the columns of a review. Raises ReviewError with a sentence per invalid field."""
    errors = {}
    if verdict not in Verdict.values:
        errors["verdict"] = f"A verdict is one of: {', '.join(Verdict.values)}."
    comment = comment.replace("\r\n", "\n").strip()
    if fault := prose_fault("The comment", comment, LONGEST_COMMENT):
        errors["comment"] = fault
    asked = {criterion.name for criterion in rubric_for(sample)}
    for name, score in scores.items():
        if problem := score_problem(name, score, asked):
            errors[name] = problem
    if errors:
        raise ReviewError(errors)
    return {"verdict": verdict, "comment": comment, **{name: scores.get(name) for name in CRITERIA}}


def score_problem(name: str, score: Any, asked: set[str]) -> str:
    if name not in CRITERIA:
        return f"{name} is not a criterion; the criteria are: {', '.join(CRITERIA)}."
    if score is None:
        return ""
    if name not in asked:
        return "This sample has no trace: leave this score empty."
    return "" if type(score) is int and score in SCORES else "A score is a whole number from 1 to 5."


def last_review(reviewer: Any) -> Review | None:
    """Return this reviewer's newest review, which undo reopens."""
    return Review.objects.filter(reviewer=reviewer).select_related("sample__task").first()
