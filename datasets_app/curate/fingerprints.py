"""Fingerprints: two programs that differ in layout, comments and docstrings alone have the same.

They are made where bodies may be read (a background job, a freeze) and stored, so that rules read scalars. What a
program is without its layout, datasets_app.similarity says; the job that finds similar kernels stores them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import Model, QuerySet

from datasets_app.models import KernelFingerprint, ProgramFingerprint, Sample, SampleBody, Task, TaskBody
from datasets_app.similarity import index
from datasets_app.similarity.index import kernel_fingerprint

BATCH = 50  # texts in memory at once, of 2 MB at most
OnBatch = Callable[[], None]


def no_word() -> None:
    """Default callback: does nothing."""


def fill_kernels(limit: int | None = None, on_batch: OnBatch = no_word) -> int:
    """Store the fingerprints that samples lack; return their number."""
    bodies = SampleBody.objects.filter(sample__fingerprint=None).values_list("sample_id", "kernel_code")
    return fill(bodies, KernelFingerprint, "sample_id", limit, on_batch)


def fill_programs(limit: int | None = None, on_batch: OnBatch = no_word) -> int:
    """Store the fingerprints that tasks lack; return their number."""
    bodies = TaskBody.objects.filter(task__fingerprint=None).values_list("task_id", "pytorch_code")
    return fill(bodies, ProgramFingerprint, "task_id", limit, on_batch, ("sha256", "signature"))


def fill(
    bodies: QuerySet[Any],
    model: type[Model],
    key: str,
    limit: int | None,
    on_batch: OnBatch,
    kept: Sequence[str] = ("sha256",),
) -> int:
    """`kept`: the parts of a fingerprint that the model has."""
    made = 0
    for batch in batches(bodies, key, limit):
        prints = [(ident, kernel_fingerprint(text)) for ident, text in batch]
        rows = [
            model(**{key: ident, **{part: getattr(made_of, part) for part in kept}})
            for ident, made_of in prints
        ]
        model._default_manager.bulk_create(rows, ignore_conflicts=True)
        made += len(rows)
        on_batch()
    return made


def batches(bodies: QuerySet[Any], key: str, limit: int | None) -> Iterator[list[tuple[Any, str]]]:
    """Yield batches by keyset: memory holds one, and a stored batch is never read again."""
    last, left = None, limit
    while left is None or left > 0:
        size = BATCH if left is None else min(BATCH, left)
        after = bodies.order_by(key) if last is None else bodies.order_by(key).filter(**{f"{key}__gt": last})
        batch = list(after[:size])
        if not batch:
            return
        yield batch
        last = batch[-1][0]
        left = None if left is None else left - len(batch)


def missing(needs: frozenset[str]) -> int:
    """Return the number of fingerprints that a recipe's rules need and that are missing."""
    kernels = 0
    if "cluster" in needs:
        kernels = index.waiting().count()
    elif "kernel" in needs:
        kernels = Sample.objects.filter(fingerprint=None).count()
    programs = Task.objects.filter(fingerprint=None).count() if "program" in needs else 0
    return kernels + programs


def fill_needed(needs: frozenset[str], limit: int | None = None, on_batch: OnBatch = no_word) -> None:
    """Make what a recipe's rules need; `on_batch` is called between batches, for a lease to be renewed.

    With a limit, which is for a page, no kernels are compared: the background job does that after every ingest.
    """
    if "cluster" in needs and limit is None:
        fill_clusters(on_batch)  # makes the fingerprints of kernels as well
    elif needs & {"kernel", "cluster"}:
        fill_kernels(limit, on_batch)
    if "program" in needs:
        fill_programs(limit, on_batch)


def fill_clusters(on_batch: OnBatch = no_word) -> None:
    """Compare the kernels that the index of similar kernels lacks."""
    for batch in index.batches():
        index.index(batch)
        on_batch()
