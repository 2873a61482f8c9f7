"""Stores further claims about a sample that is stored already.

CUDA-L1, for example, claims different speedups for one program on different devices. The first claim is in the sample's
own fields; the others are in its body, under "also_claimed".
"""

from __future__ import annotations

from typing import Any

from datasets_app.ingest.row_batches import SampleValues
from datasets_app.models import Ingest, Sample, SampleBody
from datasets_app.models.source_claim import ALSO_CLAIMED


def keep_claims(again: list[SampleValues], ingest: Ingest) -> None:
    """Add the claims of rows whose sample is stored already, each once."""
    wanted = [row for row in again if row.claimed_speedup is not None or row.claimed_device]
    stored = {
        pk.hex: claim
        for pk, *claim in Sample.objects.filter(pk__in={row.id for row in wanted}).values_list(
            "pk", "claimed_speedup", "claimed_device"
        )
    }
    other = [row for row in wanted if stored.get(row.id) != [row.claimed_speedup, row.claimed_device]]
    if other:
        add(other, ingest)


def add(claims: list[SampleValues], ingest: Ingest) -> None:
    by_id = SampleBody.objects.only("extra").in_bulk([row.id for row in claims])
    bodies = {pk.hex: body for pk, body in by_id.items()}
    changed = [bodies[row.id] for row in claims if add_claim(bodies[row.id].extra, claim_of(row, ingest))]
    SampleBody.objects.bulk_update(dict.fromkeys(changed), ["extra"], batch_size=100)


def add_claim(extra: dict[str, Any], claim: dict[str, Any]) -> bool:
    stored = extra.setdefault(ALSO_CLAIMED, [])
    if claim in stored:
        return False
    stored.append(claim)
    return True


def claim_of(values: SampleValues, ingest: Ingest) -> dict[str, Any]:
    claim = {
        "source": ingest.source_name,
        "speedup": values.claimed_speedup,
        "device": values.claimed_device,
        "correct": values.claimed_correct,
    }
    return claim | ({"claims": values.claims} if values.claims else {})
