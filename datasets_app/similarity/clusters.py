"""Clusters of similar kernels, by greedy leaders.

Shapes are processed in the order in which they are first seen. A shape with a similarity of at least THRESHOLD to a
leader joins the most similar leader (of equals, the one with the smaller hash); any other leads a cluster of its own.
Every member is therefore similar to its leader, no chain of small steps joins kernels that differ, and a new kernel
never moves an old one. The same samples in the same order give the same clusters. Leaders are searched among those
that share a band with the shape, which at THRESHOLD misses 2 in 1,000. If more than A_BAND leaders share one band, as
in a family of thousands of somewhat similar kernels, only the first of them are compared: a kernel may then lead a
cluster of its own although a later leader is similar to it. A member is always similar to its leader.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db import transaction

from datasets_app.models import CodeShape, ShapeBand
from datasets_app.similarity import minhash
from datasets_app.similarity.find import union
from datasets_app.similarity.fingerprints import Fingerprint

THRESHOLD = 0.8
A_BAND = 64  # leaders compared per band
LOOKED_AT = 200  # leaders over all bands, compared by their signatures
COMPARED = 32  # of those, compared exactly


@dataclass(frozen=True)
class Sketch:
    """A shape that is not stored yet."""

    sha256: str
    packed: bytes  # its shingles: those of a batch of long kernels number in the millions
    signature: bytes
    keys: tuple[int, ...]

    @classmethod
    def of(cls, fingerprint: Fingerprint) -> Sketch:
        keys = tuple(minhash.band_keys(minhash.unpack(fingerprint.signature)))
        return cls(fingerprint.shape_sha256, fingerprint.shingles, fingerprint.signature, keys)

    @property
    def size(self) -> int:
        return len(self.packed) // minhash.BYTES


def store(sketch: Sketch) -> CodeShape:
    """Store a shape with its bands, in its cluster, unless another run has stored it meanwhile.

    Leaders are compared before the write lock is taken, which others wait for: there may be hundreds.
    """
    leader, likeness = find_leader(sketch)
    with transaction.atomic():
        if stored := CodeShape.objects.select_related("leader").filter(sha256=sketch.sha256).first():
            return stored
        shape = CodeShape.objects.create(
            sha256=sketch.sha256,
            shingle_count=sketch.size,
            shingles=sketch.packed,
            signature=sketch.signature,
            leader=leader,
            likeness=likeness,
        )
        ShapeBand.objects.bulk_create(
            ShapeBand(key=key, shape=shape, leads=leader is None) for key in sketch.keys
        )
    return shape


def find_leader(sketch: Sketch) -> tuple[CodeShape | None, float]:
    """Return the most similar leader and its similarity; None if none reaches the threshold."""
    own = frozenset(minhash.unpack(sketch.packed))
    alike = [(minhash.jaccard(own, minhash.unpack(leader.shingles)), leader) for leader in candidates(sketch)]
    likeness, best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return (best, likeness) if likeness >= THRESHOLD else (None, 1.0)


def candidates(sketch: Sketch) -> list[CodeShape]:
    """Return the leaders to compare: of those that share most bands, the most similar ones by signature.

    Both numbers are bounded, so that a kernel costs the same among thousands of somewhat similar ones.
    """
    size, own = sketch.size, minhash.unpack(sketch.signature)
    near_in_size = {  # |A and B| / |A or B| is at most the smaller size by the larger
        "shingle_count__gte": int(size * THRESHOLD),
        "shingle_count__lte": int(size / THRESHOLD) + 1,
    }
    rows = CodeShape.objects.filter(pk__in=sharing_most(sketch), **near_in_size).order_by()
    estimates = {
        pk: minhash.estimate(own, minhash.unpack(signature))
        for pk, signature in rows.values_list("pk", "signature")
    }
    nearest = sorted(estimates, key=lambda pk: (-estimates[pk], pk))[:COMPARED]
    shapes = CodeShape.objects.in_bulk(nearest)
    return sorted((shapes[pk] for pk in nearest if pk in shapes), key=lambda leader: leader.sha256)


def sharing_most(sketch: Sketch) -> list[int]:
    """Return leaders by the number of bands that they share with it; of each band, the earliest ones."""
    statement = (
        "SELECT shape_id FROM (SELECT shape_id FROM datasets_app_shapeband WHERE key = %s AND leads "
        "ORDER BY shape_id LIMIT %s) x"
    )
    shared = Counter(row[0] for row in union(statement, [(key, A_BAND) for key in sketch.keys]))
    return sorted(shared, key=lambda pk: (-shared[pk], pk))[:LOOKED_AT]
