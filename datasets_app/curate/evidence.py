"""The findings behind the evidence on one device, as curation reads them."""

from __future__ import annotations

from typing import NamedTuple

from datasets_app.models import Finding

CHUNK = 2000


class Findings(NamedTuple):
    """Severities and codes of one sample's findings."""

    severities: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()


def findings_on(device: str) -> dict[str, Findings]:
    """Return sample id to the findings of the run that speaks for it on `device`; most samples have none."""
    by_sample: dict[str, Findings] = {}
    findings = Finding.objects.filter(verification__evidence__device=device).order_by()
    columns = ("verification__sample_id", "severity", "code")
    for pk, severity, code in findings.values_list(*columns).iterator(chunk_size=CHUNK):
        before = by_sample.get(str(pk), Findings())
        by_sample[str(pk)] = Findings(before.severities | {severity}, before.codes | {code})
    return by_sample
