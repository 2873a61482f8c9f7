"""Keeps further claims about a triple that is stored already.

CUDA-L1, for example, claims different speedups for one program on different devices. The first claim is in the sample's
own fields; the others are in its body, under "also_claimed".
"""

from __future__ import annotations

from typing import Any

from datasets_app.ingest.row_batches import SampleValues
from datasets_app.models import Ingest, Sample, SampleBody

KEY = "also_claimed"


def keep_claims(again: list[SampleValues], ingest: Ingest) -> None:
    """Add the claims of rows whose triple is stored already, each once."""
    wanted = [one for one in again if one.claimed_speedup is not None or one.claimed_device]
    stored = {
        pk.hex: claim
        for pk, *claim in Sample.objects.filter(pk__in={one.id for one in wanted}).values_list(
            "pk", "claimed_speedup", "claimed_device"
        )
    }
    other = [one for one in wanted if stored.get(one.id) != [one.claimed_speedup, one.claimed_device]]
    if other:
        add(other, ingest)


def add(claims: list[SampleValues], ingest: Ingest) -> None:
    found = SampleBody.objects.only("extra").in_bulk([one.id for one in claims])
    bodies = {pk.hex: body for pk, body in found.items()}
    changed = [bodies[one.id] for one in claims if add_one(bodies[one.id].extra, claim_of(one, ingest))]
    SampleBody.objects.bulk_update(dict.fromkeys(changed), ["extra"], batch_size=100)


def add_one(extra: dict[str, Any], claim: dict[str, Any]) -> bool:
    known = extra.setdefault(KEY, [])
    if claim in known:
        return False
    known.append(claim)
    return True


def claim_of(one: SampleValues, ingest: Ingest) -> dict[str, Any]:
    return {
        "source": ingest.source_name,
        "speedup": one.claimed_speedup,
        "device": one.claimed_device,
        "correct": one.claimed_correct,
    }
