"""Clusters of kernels that are nearly the same, by greedy leaders.

Shapes are taken in the order in which they are first seen. One that is at least THRESHOLD like a leader joins the
leader that it is most like (of equals, the one with the smaller hash); any other leads a cluster of its own. So every
member is nearly the same as its leader, no chain of small steps joins kernels that differ, and a new kernel never
moves an old one. The same samples in the same order make the same clusters; a leader is looked for among those that
share a band with it, which at THRESHOLD misses 2 in 1,000.
"""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.models import CodeShape, ShapeBand
from datasets_app.neighbours import minhash

THRESHOLD = 0.8
MOST_LEADERS = 200  # looked at for one shape
AT_ONCE = 500


@dataclass(frozen=True)
class Sketch:
    """A shape that is not stored yet."""

    sha256: str
    shingles: frozenset[int]
    signature: tuple[int, ...]
    keys: tuple[int, ...]

    @classmethod
    def of(cls, sha256: str, shingles: frozenset[int]) -> Sketch:
        signature = tuple(minhash.signature(shingles))
        return cls(sha256, shingles, signature, tuple(minhash.band_keys(signature)))


def store(sketch: Sketch) -> CodeShape:
    """Store a shape with its bands, in the cluster that it belongs to."""
    leader, likeness = find_leader(sketch)
    shape = CodeShape.objects.create(
        sha256=sketch.sha256,
        shingle_count=len(sketch.shingles),
        shingles=minhash.pack(sorted(sketch.shingles)),
        signature=minhash.pack(sketch.signature),
        leader=leader,
        likeness=likeness,
    )
    ShapeBand.objects.bulk_create(
        ShapeBand(key=key, shape=shape, leads=leader is None) for key in sketch.keys
    )
    return shape


def find_leader(sketch: Sketch) -> tuple[CodeShape | None, float]:
    """The leader that is most like it, and how much; none where none reaches the threshold."""
    alike = [
        (minhash.jaccard(sketch.shingles, minhash.unpack(leader.shingles)), leader)
        for leader in candidates(sketch)
    ]
    likeness, best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return (best, likeness) if likeness >= THRESHOLD else (None, 1.0)


def candidates(sketch: Sketch) -> list[CodeShape]:
    """Leaders that share a band with it and are near to it in size, by their hashes. Sorted here: a planner that is
    to sort them goes through all shapes by their hashes instead, to meet the few."""
    sharing = ShapeBand.objects.filter(key__in=sketch.keys, leads=True).order_by()
    ids = list(sharing.values_list("shape", flat=True).distinct())
    size = len(sketch.shingles)
    near_in_size = {  # |A and B| / |A or B| is at most the smaller size by the larger
        "shingle_count__gte": int(size * THRESHOLD),
        "shingle_count__lte": int(size / THRESHOLD) + 1,
    }
    near: list[tuple[str, int]] = []
    for start in range(0, len(ids), AT_ONCE):
        rows = CodeShape.objects.filter(pk__in=ids[start : start + AT_ONCE], **near_in_size).order_by()
        near += rows.values_list("sha256", "pk")
    first = [pk for _, pk in sorted(near)[:MOST_LEADERS]]
    found = CodeShape.objects.in_bulk(first)
    return [found[pk] for pk in first if pk in found]
