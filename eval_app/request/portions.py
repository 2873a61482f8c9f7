"""Verifications of many samples: requested in portions by the samples' ids, each in its own transaction.

A request that was interrupted continues its batch after the last sample that the batch contains.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from datasets_app.models import Priority, Verification
from datasets_app.models.sample import SampleQuerySet
from eval_app.request.verify import VerifyError, request_verification

PORTION = 500


def request_in_portions(
    samples: SampleQuerySet, profile: str, device: str, *, batch: uuid.UUID | None = None, **how: Any
) -> Iterator[list[Verification]]:
    """Yield the verifications of each portion once it is committed. `how` is as for `request_verification`.

    `batch` continues an earlier request. Raises VerifyError.
    """
    total = samples.count()
    priority = Priority.of(total)
    last = last_sample(batch, profile) if batch else None
    batch = batch or (uuid.uuid4() if total > 1 else None)
    while part := list(after(samples, last)[:PORTION]):
        yield request_verification(part, profile, device, batch=batch, priority=priority, **how)
        last = part[-1].pk


def after(samples: SampleQuerySet, last: uuid.UUID | None) -> SampleQuerySet:
    rows = samples.order_by("pk").only("pk", "language")
    return rows if last is None else rows.filter(pk__gt=last)


def last_sample(batch: uuid.UUID, profile: str) -> uuid.UUID:
    """Return the last sample that the batch asked for. Raises VerifyError."""
    row = Verification.objects.filter(batch=batch).order_by("-sample_id").first()
    if row is None:
        raise VerifyError(f"There is no batch {batch}.")
    if row.profile != profile:
        raise VerifyError(f"Batch {batch} has the profile {row.profile}, not {profile}.")
    return row.of_sample
