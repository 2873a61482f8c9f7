"""Counts the reviews that queues want: stored, being written, skipped, waiting. They add up to samples x overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Sum
from django.db.models.functions import Least
from django.utils import timezone

from datasets_app.models import QueueItem, Review, ReviewClaim, ReviewDraft, ReviewQueue


@dataclass(frozen=True)
class QueueProgress:
    """Reviews, not samples: each sample counts as often as its queue's overlap."""

    samples: int = 0
    wanted: int = 0  # samples x overlap
    done: int = 0  # stored; of a sample with more votes than the overlap, no more than the overlap
    claimed: int = 0  # being written now
    skipped: int = 0  # missing ones of samples that somebody has skipped and not reviewed since
    mine: int = 0  # samples of the queue that the reader has reviewed

    @property
    def waiting(self) -> int:
        return self.wanted - self.done - self.claimed - self.skipped

    @property
    def left_for_me(self) -> bool:
        return self.wanted > self.done and self.mine < self.samples


def progress_of(queues: Iterable[ReviewQueue], reader: Any) -> dict[int, QueueProgress]:
    """Return the progress per queue, by its id; four queries for any number of queues, none without one."""
    overlaps = {queue.pk: queue.overlap for queue in queues}
    if not overlaps:
        return {}
    items = QueueItem.objects.filter(queue__in=list(overlaps), sample__withdrawn=False).order_by()
    counted = items.values("queue").annotate(
        samples=Count("pk"), done=Sum(Least("sample__votes", "queue__overlap"))
    )
    totals: dict[int, Any] = {row["queue"]: row for row in counted}
    lacking = items.filter(sample__votes__lt=F("queue__overlap"))
    claims, skips = claimed_in(lacking), skipped_in(lacking)
    own = Review.objects.votes().filter(reviewer=reader, sample=OuterRef("sample")).order_by()
    mine = dict(items.filter(Exists(own)).values("queue").annotate(n=Count("pk")).values_list("queue", "n"))
    return {
        pk: one_progress(
            totals.get(pk), overlap, claims.get(pk, Counter()), skips.get(pk, {}), mine.get(pk, 0)
        )
        for pk, overlap in overlaps.items()
    }


def one_progress(
    total: Any, overlap: int, claims: Counter[Any], skips: dict[Any, int], mine: int
) -> QueueProgress:
    """Combine the counts. `claims`: people writing per sample; `skips`: reviews that a skipped sample lacks."""
    if total is None:
        return QueueProgress()
    skipped = sum(max(0, lacking - claims[sample]) for sample, lacking in skips.items())
    return QueueProgress(
        total["samples"], total["samples"] * overlap, total["done"], claims.total(), skipped, mine
    )


def claimed_in(lacking: Any) -> dict[int, Counter[Any]]:
    """Return per queue and sample the number of live claims by people who have not voted, as far as there is room."""
    voted = Review.objects.votes().filter(sample=OuterRef("sample"), reviewer=OuterRef("reviewer")).order_by()
    live = ReviewClaim.objects.filter(~Exists(voted), expires_at__gt=timezone.now()).order_by()
    rows = (
        lacking.filter(sample__in=live.values("sample"))
        .annotate(room=F("queue__overlap") - F("sample__votes"))
        .values_list("queue", "sample", "room")
    )
    places = {sample: (queue, room) for queue, sample, room in rows}
    found: dict[int, Counter[Any]] = {}
    for sample in live.filter(sample__in=list(places)).values_list("sample", flat=True):
        queue, room = places[sample]
        counts = found.setdefault(queue, Counter())
        counts[sample] = min(room, counts[sample] + 1)
    return found


def skipped_in(lacking: Any) -> dict[int, dict[Any, int]]:
    """Return per queue and sample the number of missing reviews, of samples that somebody has skipped."""
    skipped = ReviewDraft.objects.filter(skipped_at__isnull=False).order_by().values("sample")
    rows = (
        lacking.filter(sample__in=skipped)
        .annotate(room=F("queue__overlap") - F("sample__votes"))
        .values_list("queue", "sample", "room")
    )
    found: dict[int, dict[Any, int]] = {}
    for queue, sample, room in rows:
        found.setdefault(queue, {})[sample] = room
    return found
