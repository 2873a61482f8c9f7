"""Maintains the index of similar kernels in the background, after samples are stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.models import CodeShape, KernelFingerprint, Sample, SampleBody
from datasets_app.similarity.clusters import Sketch, store
from datasets_app.similarity.fingerprints import Fingerprint, fallback_fingerprint, fingerprint_of

BATCH = 100
AT_ONCE = 10  # kernels in memory
SECONDS, PATIENCE_SECONDS = 10.0, 60.0  # for one kernel, in the background


def waiting() -> QuerySet[Sample]:
    """Return the samples that are not indexed yet."""
    return Sample.objects.filter(Q(fingerprint=None) | Q(fingerprint__shape=None)).order_by()


def batches() -> Iterator[list[Any]]:
    """Yield batches of ids by keyset, so that a pass reads each row once and an interrupted one continues where it
    stopped."""
    last = None
    while ids := list(after(last)[:BATCH]):
        yield ids
        last = ids[-1]


def after(last: Any) -> QuerySet[Any]:
    rows = waiting().order_by("pk").values_list("pk", flat=True)
    return rows if last is None else rows.filter(pk__gt=last)


def index(ids: list[Any]) -> int:
    """Index these samples. Their programs are read, tokenised and compared before the write lock is taken.

    A run that ends in the middle leaves shapes that the next one finds stored.
    """
    bodies = SampleBody.objects.filter(pk__in=ids).order_by("pk").values_list("pk", "kernel_code")
    fingerprints = {pk: kernel_fingerprint(kernel) for pk, kernel in bodies.iterator(AT_ONCE)}
    new = sketches(fingerprints)
    shapes = shapes_of({fingerprint.shape_sha256 for fingerprint in fingerprints.values()}, new)
    with transaction.atomic():
        KernelFingerprint.objects.bulk_create(
            (
                fingerprint_row(pk, fingerprint, shapes[fingerprint.shape_sha256])
                for pk, fingerprint in fingerprints.items()
            ),
            update_conflicts=True,
            unique_fields=["sample"],
            update_fields=["sha256", "shape", "cluster"],
        )
    return len(fingerprints)


def kernel_fingerprint(kernel: str) -> Fingerprint:
    """Return the fingerprint of a kernel; if no parser reads it in time, that of its words and punctuation.

    Raises AnalysisError on a machine that is too busy to tell: the kernel is indexed another time.
    """
    try:
        return analysed(fingerprint_of, kernel, seconds=SECONDS, patience=PATIENCE_SECONDS, cached=False)
    except AnalysisError as error:
        if not error.is_of_the_text:
            raise
        return fallback_fingerprint(kernel)


def sketches(fingerprints: dict[Any, Fingerprint]) -> dict[str, Sketch]:
    """Return sketches of the shapes that are not stored yet, as far as can be seen before the lock."""
    wanted = {fingerprint.shape_sha256: fingerprint for fingerprint in fingerprints.values()}
    stored = set(CodeShape.objects.filter(sha256__in=wanted).values_list("sha256", flat=True))
    return {sha: Sketch.of(fingerprint) for sha, fingerprint in wanted.items() if sha not in stored}


def shapes_of(wanted: set[str], new: dict[str, Sketch]) -> dict[str, CodeShape]:
    """Return every requested shape; new ones are stored in the order of their samples."""
    light = CodeShape.objects.select_related("leader").only("sha256", "leader__sha256")
    shapes = {shape.sha256: shape for shape in light.filter(sha256__in=wanted)}
    for sha, sketch in new.items():
        if sha not in shapes:
            shapes[sha] = store(sketch)
    return shapes


def fingerprint_row(pk: Any, fingerprint: Fingerprint, shape: CodeShape) -> KernelFingerprint:
    return KernelFingerprint(sample_id=pk, sha256=fingerprint.sha256, shape=shape, cluster=shape.cluster)
