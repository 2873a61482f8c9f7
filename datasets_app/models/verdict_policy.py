"""What several reviews of one sample decide together: its verdict, under a stated policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models

from datasets_app.models.review import Review
from datasets_app.models.sample import SampleVerdict

WORDS = {"accept": "accepted", "fix": "marked for a fix", "reject": "rejected"}


class VerdictPolicy(models.TextChoices):
    """How votes become a verdict. An adjudication wins under each of them."""

    NEWEST = "newest", "newest review"
    MAJORITY = "majority", "majority"  # of more than half of the reviewers
    UNANIMOUS = "unanimous", "unanimous"
    ADJUDICATED = "adjudicated", "adjudication only"  # votes alone decide nothing


LACKING = {
    VerdictPolicy.MAJORITY: "no majority",
    VerdictPolicy.UNANIMOUS: "not unanimous",
    VerdictPolicy.ADJUDICATED: "waits for an adjudication",
}


def current_policy() -> VerdictPolicy:
    """Return the site's policy, for samples whose queue states none (models.queue.policy_of)."""
    return VerdictPolicy(settings.VERDICT_POLICY)


@dataclass(frozen=True)
class Decision:
    """A sample's verdict with the votes behind it: of each reviewer, the newest review that is no adjudication."""

    verdict: str  # a SampleVerdict; empty: no review
    policy: VerdictPolicy
    votes: tuple[tuple[str, int], ...]  # verdict and reviewers, most first
    reviewed_at: datetime | None = None  # of the newest review of either kind
    is_adjudicated: bool = False

    @property
    def voters(self) -> int:
        return sum(n for _, n in self.votes)

    @property
    def agreement(self) -> float | None:
        """Return the share of the votes that agree with the verdict; None without votes."""
        return dict(self.votes).get(self.verdict, 0) / self.voters if self.voters else None

    def columns(self) -> dict[str, Any]:
        """Return the columns of Sample that repeat it; see Sample.record_verdict."""
        return {
            "verdict": self.verdict,
            "reviewed_at": self.reviewed_at,
            "votes": self.voters,
            "agreement": self.agreement,
        }

    @property
    def is_disputed(self) -> bool:
        """Return whether the reviewers disagree, whatever was decided."""
        return len(self.votes) > 1

    @property
    def words(self) -> str:
        """Return how it was decided, such as "accepted by 2 of 3, majority"."""
        counts = ", ".join(f"{n} {WORDS[verdict]}" for verdict, n in self.votes) or "no other review"
        if self.is_adjudicated:
            return f"{WORDS[self.verdict]} by adjudication ({counts})"
        if self.verdict == SampleVerdict.CONTESTED:
            lacking = LACKING.get(self.policy, "")
            return f"contested: {counts}, {lacking}"
        if not self.verdict:
            return ""
        return (
            f"{WORDS[self.verdict]} by {dict(self.votes)[self.verdict]} of {self.voters}, {self.policy.label}"
        )


def decide(reviews: Iterable[Review], policy: VerdictPolicy) -> Decision:
    """Return what the reviews of a sample decide; they come newest first. A withdrawn one does not count.

    `policy` is that of the sample's queue, or the site's (models.queue.policy_of).
    """
    newest = adjudication = None
    by_reviewer: dict[int, str] = {}  # newest first
    for review in reviews:
        if review.is_withdrawn:
            continue
        newest = newest or review
        if review.is_adjudication:
            adjudication = adjudication or review
        else:
            by_reviewer.setdefault(review.reviewer_id, review.verdict)
    counts = tuple(Counter(by_reviewer.values()).most_common())
    if newest is None:
        return Decision("", policy, ())
    if adjudication:
        return Decision(adjudication.verdict, policy, counts, newest.created_at, True)
    return Decision(verdict_of(list(by_reviewer.values()), counts, policy), policy, counts, newest.created_at)


def verdict_of(newest_first: list[str], counts: tuple[tuple[str, int], ...], policy: VerdictPolicy) -> str:
    if policy == VerdictPolicy.NEWEST:
        return newest_first[0]
    if policy == VerdictPolicy.ADJUDICATED:
        return SampleVerdict.CONTESTED
    verdict, most = counts[0]
    needed = len(newest_first) if policy == VerdictPolicy.UNANIMOUS else len(newest_first) // 2 + 1
    return verdict if most >= needed else SampleVerdict.CONTESTED
