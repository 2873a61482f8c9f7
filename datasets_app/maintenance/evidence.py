"""Derives all evidence again from the stored verifications, with the order of devices counted anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from datasets_app.evidence import devices
from datasets_app.models import Evidence, Sample, Verification

BATCH = 500


def waiting() -> QuerySet[Sample]:
    """Return samples that have evidence on the reference device and a headline from another one."""
    evidence = Evidence.objects.on(devices.reference_device()).filter(is_headline=False)
    return Sample.objects.filter(pk__in=evidence.values("sample")).order_by()


def batches() -> Iterator[list[Any]]:
    """Count the devices, then yield the ids of all verified samples by keyset."""
    devices.recount()
    rows = Verification.objects.finished().order_by("sample").values_list("sample", flat=True).distinct()
    last = None
    while ids := list((rows if last is None else rows.filter(sample__gt=last))[:BATCH]):
        yield ids
        last = ids[-1]
