"""The reviews that agreement is computed from: of each reviewer, the newest one of each sample, also in one queue."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, Subquery

from datasets_app.models import QueueItem, Review, ReviewQueue, ReviewWithdrawal, RubricVersion, Verdict

MOST_REVIEWS = 50_000  # the newest ones; reading more would keep a page waiting
VERDICT_ORDER = {verdict: place for place, verdict in enumerate(Verdict.values)}


class RubricField(NamedTuple):
    """A field of a review that reviewers can agree on."""

    name: str
    title: str
    values: tuple[str, ...]  # titles, by the number that stands for the value in ratings
    first: int  # the number of the first value
    is_ordinal: bool


VERDICT = RubricField("verdict", "Verdict", tuple(str(label) for label in Verdict.labels), 0, False)
SCORE_TITLES = ("1", "2", "3", "4", "5")
REASON_TITLES = ("not given", "given")


def rubric_fields(versions: list[RubricVersion] | None = None) -> dict[str, RubricField]:
    """Return the fields of all versions by name, with the titles of the newest version that has each.

    Ratings under two versions are compared where the name is the same.
    """
    versions = all_versions() if versions is None else versions
    criteria = {one.name: one.title for version in versions for one in version.criterion_list}
    reasons = {one.code: one.title for version in versions for one in version.reason_list}
    return {
        field.name: field
        for field in (
            VERDICT,
            *(RubricField(name, title, SCORE_TITLES, 1, True) for name, title in criteria.items()),
            *(
                RubricField(reason_name(code), f"Reason: {title.lower()}", REASON_TITLES, 0, False)
                for code, title in reasons.items()
            ),
        )
    }


def all_versions() -> list[RubricVersion]:
    return list(RubricVersion.objects.order_by("number").defer("guidelines", "note"))


def reason_name(code: str) -> str:
    return f"reason:{code}"


Ratings = dict[UUID, dict[int, int]]  # sample -> reviewer's id -> value


class Stamp(NamedTuple):
    """The state of all reviews: it changes with each new review or withdrawal, since both are only ever added, and
    with each sample that is added to the queue whose reviews are wanted.
    """

    newest: int
    last_withdrawal: int  # 0: none
    at: datetime | None
    reviewers: tuple[tuple[int, str], ...]  # accounts by id, since a name can change
    rubric: int  # the newest version
    queue: int | None  # None: the reviews of all samples
    queue_samples: int


def stamp(queue: ReviewQueue | None) -> Stamp:
    withdrawal = Subquery(ReviewWithdrawal.objects.order_by("-pk").values("pk")[:1])
    reviews = Review.objects.order_by("-pk").annotate(last_withdrawal=withdrawal)
    newest, last, at = reviews.values_list("pk", "last_withdrawal", "created_at").first() or (0, None, None)
    accounts: Any = get_user_model().objects.order_by("pk").values_list("pk", "username")
    rubric = RubricVersion.objects.order_by("-number").values_list("number", flat=True).first() or 0
    of_queue = (queue.pk, queue.items.count()) if queue else (None, 0)
    return Stamp(newest, last or 0, at, tuple(accounts), rubric, *of_queue)


def read_ratings(versions: list[RubricVersion], queue: int | None) -> tuple[dict[str, Ratings], bool]:
    """Return the ratings of samples with two reviewers or more, per field, and whether older reviews were left out.
    With a queue's id, those of its samples alone.

    A score that was not given is no rating; a reason that was not given is one, if the review's version has it.
    """
    shared = (
        Review.objects.votes()
        .order_by()
        .values("sample")
        .annotate(reviewers=Count("reviewer", distinct=True))
    )
    reviews = Review.objects.votes().filter(sample__in=shared.filter(reviewers__gte=2).values("sample"))
    if queue is not None:
        reviews = reviews.filter(sample__in=QueueItem.objects.filter(queue=queue).order_by().values("sample"))
    rows = reviews.order_by("-created_at", "-id").values_list(
        "sample_id", "reviewer_id", "verdict", "scores", "reasons", "rubric_id"
    )
    asked = {one.number: [row.code for row in one.reason_list] for one in versions}
    ratings: dict[str, Ratings] = {name: defaultdict(dict) for name in rubric_fields(versions)}
    seen: set[tuple[UUID, int]] = set()
    read = list(rows[: MOST_REVIEWS + 1])
    for sample, reviewer, verdict, scores, reasons, rubric in read[:MOST_REVIEWS]:
        if (sample, reviewer) in seen:
            continue  # an older review by the same person
        seen.add((sample, reviewer))
        given = {reason_name(code): int(code in reasons) for code in asked[rubric]}
        for name, value in {"verdict": VERDICT_ORDER[verdict], **scores, **given}.items():
            ratings[name][sample][reviewer] = value
    return ratings, len(read) > MOST_REVIEWS
