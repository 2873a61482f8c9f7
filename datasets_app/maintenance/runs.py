"""Brings derived data up to date in the background: one job row per run.

Each kind of work finds what is outdated, splits it into batches, and updates a batch in one transaction. Finished
batches are kept, so that an interrupted run continues where it stopped. At most one run per kind is active; a request
that arrives meanwhile waits for it to end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor, Via, needs
from datasets_app.accounts.roles import Scope
from datasets_app.db.text_index import pending
from datasets_app.evidence.record import refresh
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.run import run_claimed
from datasets_app.maintenance import evidence, token_counts, verdicts
from datasets_app.models import JobState, MaintenanceKind, MaintenanceRun
from datasets_app.similarity import index
from datasets_app.traces import lengths
from datasets_app.traces.tokenizer.counting import TokenizerError

TASK = "datasets_app.maintenance"
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class Work:
    waiting: Callable[[], int]  # the number of outdated samples or texts
    batches: Callable[[], Iterator[list[Any]]]
    bring: Callable[[list[Any]], int]  # updates a batch of samples by id; returns how many
    detail: Callable[[], str] = str  # the version that it updates to


WORKS = {
    MaintenanceKind.NEIGHBOURS: Work(lambda: index.waiting().count(), index.batches, index.index),
    MaintenanceKind.TOKENS: Work(
        lambda: token_counts.waiting().count(),
        token_counts.batches,
        token_counts.recount,
        lengths.tokenizer_name,
    ),
    MaintenanceKind.SEARCH: Work(pending.count, pending.batches, pending.index),
    MaintenanceKind.EVIDENCE: Work(lambda: evidence.waiting().count(), evidence.batches, refresh),
    MaintenanceKind.VERDICTS: Work(
        lambda: verdicts.waiting().count(), verdicts.batches, verdicts.decide_again, verdicts.policy_name
    ),
}


@needs(Scope.ADMIN)
def request(kind: str, actor: Actor, *, in_background: bool = True) -> MaintenanceRun:
    """Request a run, or return the one that is queued. Requests of the site itself are not audited."""
    with transaction.atomic():
        job = MaintenanceRun.objects.filter(kind=kind, state=JobState.QUEUED).first()
        if job is None:
            job = MaintenanceRun.objects.create(kind=kind, created_by=actor.user)
        if actor.via != Via.SITE:
            audit.record(actor, "maintenance.request", job, kind=kind)
        if in_background:
            enqueue(TASK, job.pk)
    return job


def request_search(least: int = 1) -> None:
    """Request a run over the unindexed texts, if there are at least `least` of them and no run is queued."""
    queued = MaintenanceRun.objects.filter(kind=MaintenanceKind.SEARCH, state=JobState.QUEUED)
    if pending.count(least) >= least and not queued.exists():
        request(MaintenanceKind.SEARCH, SITE)


def no_word(job: MaintenanceRun) -> None:
    """Default callback: does nothing."""


def run(pk: Any, on_batch: Callable[[MaintenanceRun], None] = no_word) -> MaintenanceRun | None:
    """Run a queued run in this process. Return None if it is not queued or another of its kind is active."""
    job = MaintenanceRun.objects.filter(pk=pk, state=JobState.QUEUED).first()
    if job is None or MaintenanceRun.objects.filter(kind=job.kind, state=JobState.RUNNING).exists():
        return None
    claimed = job_row.claim(MaintenanceRun, pk)
    run_claimed(claimed, lambda row: work(row, on_batch), (TokenizerError,))
    enqueue_next(job.kind)
    return claimed


def work(job: MaintenanceRun, on_batch: Callable[[MaintenanceRun], None]) -> None:
    """Update batch after batch until nothing is outdated, with progress stored in the row after each."""
    kind = WORKS[MaintenanceKind(job.kind)]
    job_row.renew(job, total=kind.waiting(), done=0, detail=kind.detail())
    for batch in kind.batches():
        done = job.done + kind.bring(batch)
        job_row.renew(job, done=done, total=max(done, job.total))
        on_batch(job)
    job_row.finish(job)


def enqueue_next(kind: str) -> None:
    """Send the message of the run of this kind that was requested meanwhile, if any."""
    if job := MaintenanceRun.objects.filter(kind=kind, state=JobState.QUEUED).order_by("created_at").first():
        enqueue(TASK, job.pk)
