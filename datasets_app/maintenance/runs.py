"""Keeps up to date what is derived from the rows, after them and in the background: one job row a run.

Each kind of work knows what waits, cuts it into batches, and brings a batch up to date in one transaction. What a
run has done stays done, so that one that is stopped or dies goes on where it ended. At most one run of a kind is at
work; a request that comes meanwhile waits for it to end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, Via, needs
from datasets_app.accounts.roles import Scope
from datasets_app.evidence.record import refresh
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import run as run_claimed
from datasets_app.jobs.enqueue import wake
from datasets_app.maintenance import evidence, token_counts
from datasets_app.models import JobState, Sample, Upkeep, UpkeepKind
from datasets_app.similarity import index
from datasets_app.traces import lengths
from datasets_app.traces.tokenizer.counting import TokenizerError

TASK = "datasets_app.upkeep"
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class Work:
    waiting: Callable[[], QuerySet[Sample]]
    batches: Callable[[], Iterator[list[Any]]]
    bring: Callable[[list[Any]], int]  # a batch of sample ids up to date; how many it brought
    detail: Callable[[], str] = str  # what it brings them to


WORKS = {
    UpkeepKind.NEIGHBOURS: Work(index.waiting, index.batches, index.index),
    UpkeepKind.TOKENS: Work(
        token_counts.waiting, token_counts.batches, token_counts.recount, lengths.tokenizer_name
    ),
    UpkeepKind.EVIDENCE: Work(evidence.waiting, evidence.batches, refresh),
}


@needs(Scope.ADMIN)
def request(kind: str, actor: Actor, *, wake_worker: bool = True) -> Upkeep:
    """Ask for a run, or find the one that waits already. What the site asks of itself is not in the log."""
    with transaction.atomic():
        job = Upkeep.objects.filter(kind=kind, state=JobState.QUEUED).first()
        if job is None:
            job = Upkeep.objects.create(kind=kind, created_by=actor.user)
        if actor.via != Via.SITE:
            audit.record(actor, "upkeep.request", job, kind=kind)
        if wake_worker:
            wake(TASK, job.pk)
    return job


def no_word(job: Upkeep) -> None:
    """Nobody waits for word of a batch."""


def run(pk: Any, on_batch: Callable[[Upkeep], None] = no_word) -> Upkeep | None:
    """Do a waiting run here and now. None if it is not waiting, or has to wait for another of its kind."""
    job = Upkeep.objects.filter(pk=pk, state=JobState.QUEUED).first()
    if job is None or Upkeep.objects.filter(kind=job.kind, state=JobState.RUNNING).exists():
        return None
    claimed = job_row.claim(Upkeep, pk)
    run_claimed(claimed, lambda row: work(row, on_batch), (TokenizerError,))
    wake_next(job.kind)
    return claimed


def work(job: Upkeep, on_batch: Callable[[Upkeep], None]) -> None:
    """Batch by batch until nothing waits. Progress stands in the row after every batch."""
    kind = WORKS[UpkeepKind(job.kind)]
    job_row.renew(job, total=kind.waiting().count(), done=0, detail=kind.detail())
    for batch in kind.batches():
        done = job.done + kind.bring(batch)
        job_row.renew(job, done=done, total=max(done, job.total))
        on_batch(job)
    job_row.finish(job)


def wake_next(kind: str) -> None:
    """What was asked for meanwhile."""
    if job := Upkeep.objects.filter(kind=kind, state=JobState.QUEUED).order_by("created_at").first():
        wake(TASK, job.pk)
