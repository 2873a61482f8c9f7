"""The order in which a reviewer gets samples, and how many are left.

It is read from bits (db.facet_index): a queue of a million samples under any filter yields its next one at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import FEW, PATIENT, Sets, numbered
from datasets_app.db.facet_index import Selection, read
from datasets_app.db.facet_index.extremes import first, minus
from datasets_app.db.facet_index.numbers import numbers_among
from datasets_app.db.facet_index.sets import both, size
from datasets_app.models import Assignment, QueueItem, Review, ReviewClaim, ReviewDraft, ReviewQueue

# Candidates read at once. All of them can be lost only to as many reviewers at the same instant.
BATCH = 20


def live_claims() -> QuerySet[ReviewClaim]:
    """Return the claims that have not expired."""
    return ReviewClaim.objects.filter(expires_at__gt=timezone.now())


@dataclass
class ReviewerQueue:
    """One reviewer's queue at one moment."""

    reviewer: Any
    sets: Sets

    @classmethod
    def of(cls, reviewer: Any, chosen: BrowseFilter | None, *, patient: bool = False) -> ReviewerQueue:
        return cls(reviewer, Sets(chosen or BrowseFilter(), read(), patient))

    def named(self, rows: QuerySet[Any]) -> Selection:
        """Return the samples that these rows refer to."""
        return self.sets.reading.of_numbers(
            numbers_among(rows.order_by().values("sample_id"), PATIENT.numbers)
        )

    @cached_property
    def reviewed(self) -> Selection:
        return self.named(Review.objects.standing().filter(reviewer=self.reviewer))

    @cached_property
    def aside(self) -> Selection:
        return self.named(ReviewDraft.objects.filter(reviewer=self.reviewer, skipped_at__isnull=False))

    @cached_property
    def unreviewed(self) -> Selection:
        return both(self.sets.matching(), self.sets.reading.where("review", "unreviewed".__eq__))

    @cached_property
    def free(self) -> Selection:
        """Return the samples that this reviewer has not reviewed and no other reviewer has open.

        Those whose open queue has all its reviews, or names other reviewers, are not among them.
        """
        taken = self.named(live_claims().exclude(reviewer=self.reviewer))
        return minus(minus(minus(self.sets.matching(), self.reviewed), taken), self.queued)

    @cached_property
    def queued(self) -> Selection:
        """Return the samples of open queues from which this reviewer would get no slot."""
        mine = ReviewQueue.objects.for_reviewer(self.reviewer).values("pk")
        full = Q(sample__votes__gte=F("queue__overlap")) | ~Q(queue__in=mine)
        return self.named(QueueItem.objects.filter(full, is_open=True))

    def candidates(self) -> Iterator[list[UUID]]:
        """Yield groups of samples in order: those the reviewer has open already, those assigned to the reviewer,
        unreviewed ones (oldest first), those reviewed by others (longest ago first), those the reviewer skipped.
        """
        fresh = minus(self.free, self.aside)
        yield self.oldest(both(fresh, self.named(live_claims().filter(reviewer=self.reviewer))))
        yield self.oldest(both(fresh, self.named(Assignment.objects.filter(reviewer=self.reviewer))))
        yield self.oldest(both(fresh, self.unreviewed))
        yield self.oldest(minus(fresh, self.unreviewed), "reviewed", "reviewed_at")
        if skipped := self.sets.reading.numbers(both(self.free, self.aside)):
            mine = numbered(skipped).filter(drafts__reviewer=self.reviewer)
            yield self.ids(mine.order_by("drafts__skipped_at"))

    def oldest(self, among: Selection, facet: str = "created", field: str = "created_at") -> list[UUID]:
        level = first(self.sets.reading, facet, among, BATCH, descending=False) or among
        numbers = sorted(self.sets.reading.numbers(level))[
            :FEW
        ]  # those of one moment are in the order of their numbers
        return self.ids(numbered(numbers).order_by(field, "id")) if numbers else []

    @staticmethod
    def ids(rows: QuerySet[Any]) -> list[UUID]:
        return list(rows.values_list("pk", flat=True)[:BATCH])

    def counts(self) -> dict[str, int]:
        """Return the number of samples in the queue, of unreviewed ones, and of those that this reviewer has
        reviewed.
        """
        matching = self.sets.matching()
        return {
            "total": size(matching),
            "unreviewed": size(self.unreviewed),
            "mine": size(both(matching, self.reviewed)),
        }
