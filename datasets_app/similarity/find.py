"""Finds the samples whose kernels are most similar to one sample's, in a fixed number of queries without reading
programs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from datasets_app.models import CodeShape, KernelFingerprint, Sample
from datasets_app.similarity import minhash

SHOWN = 8
LEAST_SHOWN = 0.3  # below this, kernels share only what all kernels share
A_BAND = 300  # shapes examined per band: some bands are shared by all kernels
CANDIDATES = 100  # compared by signature
EXACT = 16  # of those, compared exactly
OF_A_SHAPE = 4  # samples shown for one shape


@dataclass(frozen=True)
class Neighbour:
    sample: Sample
    similarity: float  # Jaccard, exact
    same_text: bool  # only layout and comments differ

    @property
    def percent(self) -> str:
        """Return the percentage, below 100 unless the kernels are equal."""
        if self.similarity == 1:
            return "100 %"
        return f"{min(99.9, 100 * self.similarity):.1f} %"


@dataclass(frozen=True)
class Neighbours:
    """`indexed`: the sample is in the index. `more`: there are others of the same shape beyond those shown."""

    indexed: bool
    cluster: str = ""
    rows: Sequence[Neighbour] = ()
    more: bool = False


def neighbours_of(sample_id: Any) -> Neighbours:
    """Return the most similar samples first; equals by id."""
    own = (
        KernelFingerprint.objects.select_related("shape")
        .filter(sample=sample_id, shape__isnull=False)
        .first()
    )
    if own is None or own.shape is None:
        return Neighbours(indexed=False)
    likeness = {own.shape.pk: 1.0} | exact(own.shape, candidates(own.shape))
    by_shape: dict[int, list[KernelFingerprint]] = defaultdict(list)
    for other in fingerprints_of(likeness):
        if other.sample_id != own.sample_id:
            by_shape[other.shape_id or 0].append(other)
    more = len(by_shape[own.shape.pk]) > OF_A_SHAPE
    others = [other for alike in by_shape.values() for other in alike[:OF_A_SHAPE]]
    others.sort(key=lambda other: (-likeness[other.shape_id or 0], other.sample_id))
    samples = Sample.objects.for_list().in_bulk([other.sample_id for other in others[:SHOWN]])
    rows = [
        Neighbour(samples[other.sample_id], likeness[other.shape_id or 0], other.sha256 == own.sha256)
        for other in others[:SHOWN]
        if other.sample_id in samples
    ]
    return Neighbours(True, own.cluster, rows, more)


def candidates(shape: CodeShape) -> list[int]:
    """Return the shapes that share bands with it, most shared first, then by signature."""
    minima = minhash.unpack(shape.signature)
    shared = Counter(sharing(minhash.band_keys(minima)))
    shared.pop(shape.pk, None)
    nearest = sorted(shared, key=lambda pk: (-shared[pk], pk))[:CANDIDATES]
    rows = CodeShape.objects.filter(pk__in=nearest).values_list("pk", "signature")
    estimates = {pk: minhash.estimate(minima, minhash.unpack(other)) for pk, other in rows}
    return sorted(estimates, key=lambda pk: (-estimates[pk], pk))[:EXACT]


def sharing(keys: Iterable[int]) -> list[int]:
    """Return shapes with any of these keys, once per key."""
    statement = (
        "SELECT shape_id FROM (SELECT shape_id FROM datasets_app_shapeband WHERE key = %s "
        "ORDER BY shape_id LIMIT %s) x"
    )
    return [row[0] for row in union(statement, [(key, A_BAND) for key in keys])]


def exact(shape: CodeShape, others: list[int]) -> dict[int, float]:
    mine = frozenset(minhash.unpack(shape.shingles))
    rows = CodeShape.objects.filter(pk__in=others).values_list("pk", "shingles")
    similarities = {pk: minhash.jaccard(mine, minhash.unpack(shingles)) for pk, shingles in rows}
    return {pk: likeness for pk, likeness in similarities.items() if likeness >= LEAST_SHOWN}


def fingerprints_of(shapes: Iterable[int]) -> list[KernelFingerprint]:
    """Return the first samples of each shape that are in use: as many as are shown, one more, and perhaps its own."""
    statement = (
        "SELECT sample_id FROM (SELECT sample_id FROM datasets_app_kernelfingerprint f JOIN datasets_app_sample s "
        "ON s.id = f.sample_id WHERE f.shape_id = %s AND NOT s.withdrawn ORDER BY f.sample_id LIMIT %s) x"
    )
    ids = [row[0] for row in union(statement, [(pk, OF_A_SHAPE + 2) for pk in shapes])]
    return list(KernelFingerprint.objects.filter(pk__in=ids).order_by("sample"))


def union(statement: str, params: Sequence[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """Return the rows of many statements as one UNION: Django writes no LIMIT inside a union for SQLite."""
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join([statement] * len(params)), [value for pair in params for value in pair]
        )
        return cursor.fetchall()
