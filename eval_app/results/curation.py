"""What curation may know of verifications: its evidence source (see datasets_app.curate.evidence)."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import OuterRef, Subquery

from datasets_app.models import Finding, Verification

CHUNK = 2000
FIELDS = ("id", "engine_version", "torch_version", "profile", "finished_at")


def newest(sample: str) -> Subquery:
    """The id of a sample's newest finished verification; `sample` names the outer query's column."""
    done = Verification.objects.filter(sample=OuterRef(sample), state="done")
    return Subquery(done.order_by("-finished_at", "-id").values("pk")[:1])


class Verifications:
    def severities(self) -> Iterable[tuple[Any, str]]:
        found = Finding.objects.filter(verification=newest("verification__sample")).order_by()
        return found.values_list("verification__sample_id", "severity").iterator(chunk_size=CHUNK)

    def provenance(self, sample_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        rows = Verification.objects.filter(sample_id__in=sample_ids, pk=newest("sample"))
        return {str(sample): said(*rest) for sample, *rest in rows.values_list("sample_id", *FIELDS)}


def said(pk: Any, engine: str, torch: str, profile: str, finished_at: Any) -> dict[str, Any]:
    at = finished_at.isoformat(timespec="seconds")
    return {"verification": str(pk), "engine": engine, "torch": torch, "profile": profile, "verified_at": at}
