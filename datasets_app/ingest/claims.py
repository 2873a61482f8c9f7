"""A triple that comes again is stored once, but a second claim about it is not lost.

CUDA-L1, for one, claims different speedups for the same program on different devices. The first claim stands in the
sample's own fields; every other one is kept beside its texts, under "also_claimed".
"""

from __future__ import annotations

import uuid
from typing import Any

from datasets_app.ingest.rows import SamplePart
from datasets_app.models import Ingest, Sample, SampleBody

KEY = "also_claimed"


def keep_claims(again: list[tuple[uuid.UUID, SamplePart]], ingest: Ingest) -> None:
    """Add the claims of rows whose triple is stored already, each once."""
    wanted = [(pk, part) for pk, part in again if part.claimed_speedup is not None or part.claimed_device]
    stored = {
        pk: claim
        for pk, *claim in Sample.objects.filter(pk__in={pk for pk, _ in wanted}).values_list(
            "pk", "claimed_speedup", "claimed_device"
        )
    }
    other = [
        (pk, part) for pk, part in wanted if stored.get(pk) != [part.claimed_speedup, part.claimed_device]
    ]
    if other:
        add(other, ingest)


def add(claims: list[tuple[uuid.UUID, SamplePart]], ingest: Ingest) -> None:
    bodies = SampleBody.objects.only("extra").in_bulk([pk for pk, _ in claims])
    changed = [bodies[pk] for pk, part in claims if add_one(bodies[pk].extra, claim_of(part, ingest))]
    SampleBody.objects.bulk_update(dict.fromkeys(changed), ["extra"], batch_size=100)


def add_one(extra: dict[str, Any], claim: dict[str, Any]) -> bool:
    known = extra.setdefault(KEY, [])
    if claim in known:
        return False
    known.append(claim)
    return True


def claim_of(part: SamplePart, ingest: Ingest) -> dict[str, Any]:
    return {
        "source": ingest.source.name,
        "speedup": part.claimed_speedup,
        "device": part.claimed_device,
        "correct": part.claimed_correct,
    }
