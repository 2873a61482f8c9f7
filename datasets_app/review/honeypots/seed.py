"""Mixes honeypots into the samples of a queue."""

from __future__ import annotations

import random
from uuid import UUID

from datasets_app.models import Honeypot, ReviewQueue


def with_honeypots(queue: ReviewQueue, ids: list[UUID]) -> list[UUID]:
    """Return the ids with honeypots at random places: the queue's percentage of the whole, as far as there are any.

    Those that fewest people judged are taken first. A honeypot is in one open queue at most, as every sample is, and a
    queue that had one does not get it again.
    """
    wanted = round(len(ids) * queue.honeypot_percent / (100 - queue.honeypot_percent))
    if not wanted:
        return ids
    open_or_own = queue.items.model.objects.filter(is_open=True) | queue.items.all()
    free = Honeypot.objects.exclude(sample__in=open_or_own.order_by().values("sample"))
    lot = random.Random(f"{queue.pk}:{queue.seed}:{len(ids)}")  # noqa: S311 (no secret)
    known = list(free.order_by("sample__votes", "sample").values_list("sample__votes", "sample"))
    known.sort(key=lambda row: (row[0], lot.random()))
    mixed = list(ids)
    for _, sample in known[:wanted]:
        mixed.insert(lot.randrange(len(mixed) + 1), sample)
    return mixed
