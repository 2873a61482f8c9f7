"""What curation reads of verifications: the findings and the provenance of each sample's headline evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from datasets_app.models import Evidence, Finding

CHUNK = 2000
FIELDS = ("verification__engine_version", "verification__torch_version", "profile", "finished_at")


def severities() -> Iterable[tuple[Any, str]]:
    """Yield (sample id, severity) of the findings of every sample's headline evidence; pairs may repeat."""
    findings = Finding.objects.filter(verification__evidence__is_headline=True).order_by()
    return findings.values_list("verification__sample_id", "severity").iterator(chunk_size=CHUNK)


def provenance(sample_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return sample id to what its outcome rests on: verification id, engine, torch, profile, date."""
    rows = Evidence.objects.headline().filter(sample_id__in=sample_ids).order_by()
    found = rows.values_list("sample_id", "verification_id", *FIELDS)
    return {str(sample): record(*rest) for sample, *rest in found}


def record(pk: Any, engine: str, torch: str, profile: str, finished_at: Any) -> dict[str, Any]:
    at = finished_at.isoformat(timespec="seconds")
    return {"verification": str(pk), "engine": engine, "torch": torch, "profile": profile, "verified_at": at}
