"""Counts what reviewers made of honeypots, and tells them after they judged one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from datasets_app.models import Honeypot, HoneypotAnswer, Review
from datasets_app.models.review import ReviewKind
from datasets_app.models.verdict_policy import WORDS

# Of a review, what counting needs.
COLUMNS = (
    *("reviewer", "sample", "verdict", "reviewer__username"),
    *("sample__honeypot__answer", "sample__honeypot__family"),
)


@dataclass
class Misses:
    judged: int = 0
    missed: int = 0

    @property
    def percent(self) -> float | None:
        return 100 * self.missed / self.judged if self.judged else None

    def count(self, missed: bool) -> None:
        self.judged += 1
        self.missed += missed


@dataclass
class ReviewerMisses:
    """One reviewer's misses, overall and by family."""

    reviewer: str
    overall: Misses = field(default_factory=Misses)
    by_family: dict[str, Misses] = field(default_factory=dict)

    def in_families(self, families: Iterable[str]) -> list[Misses]:
        return [self.by_family.get(family, Misses()) for family in families]


def miss_rates(reviewer: Any = None) -> list[ReviewerMisses]:
    """Return misses per reviewer, by name; of one reviewer alone if given. One query.

    A reviewer's first review of a honeypot counts, withdrawn or not: afterwards the answer is known.
    """
    rows: dict[str, ReviewerMisses] = {}
    for name, honeypot, verdict in first_reviews(reviewer):
        misses = rows.setdefault(name, ReviewerMisses(name))
        missed = honeypot.is_missed_by(verdict)
        misses.overall.count(missed)
        misses.by_family.setdefault(honeypot.family, Misses()).count(missed)
    return [rows[name] for name in sorted(rows)]


@dataclass(frozen=True)
class Family:
    name: str
    answer: str  # in words
    samples: int


def families() -> list[Family]:
    """Return the kinds of honeypots that are stored, by name."""
    counts = Honeypot.objects.order_by("family", "answer").values_list("family", "answer")
    return [
        Family(family, HoneypotAnswer(answer).label, samples)
        for family, answer, samples in counts.annotate(samples=Count("pk"))
    ]


def first_reviews(reviewer: Any) -> Iterator[tuple[str, Honeypot, str]]:
    reviews = Review.objects.filter(kind=ReviewKind.VOTE, sample__honeypot__isnull=False)
    reviews = reviews.filter(reviewer=reviewer) if reviewer else reviews
    seen: set[tuple[int, Any]] = set()
    rows = reviews.order_by("created_at", "pk").values_list(*COLUMNS)
    for reviewer_id, sample_id, verdict, name, answer, family in rows:
        if (key := (reviewer_id, sample_id)) not in seen:
            seen.add(key)
            yield name, Honeypot(answer=answer, family=family), verdict


def told_after(review: Review) -> str:
    """Return what a reviewer is told after judging a honeypot; empty for any other sample."""
    honeypot = getattr(review.sample, "honeypot", None)
    if honeypot is None or review.kind != ReviewKind.VOTE:
        return ""
    what = HoneypotAnswer(honeypot.answer).label
    missed = " That was a miss." if honeypot.is_missed_by(review.verdict) else ""
    return (
        f"The sample that you {WORDS[review.verdict]} was a test: {what} ({honeypot.family}). "
        f"{honeypot.explanation}{missed}"
    ).strip()
