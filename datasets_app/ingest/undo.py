"""Undoes an ingest: withdraws the samples that it brought and that nobody has used, or brings them back.

Few samples are withdrawn by the request itself; more are left to a worker, a batch per transaction, so that a run that
is interrupted continues. A file that is ingested again brings back what an undoing withdrew (writer.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, account, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.cancel import may_cancel
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.withdraw import checked_reason, end, hide
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.run import run_claimed
from datasets_app.models import (
    Edit,
    Honeypot,
    Ingest,
    IngestUndo,
    JobState,
    Note,
    Preference,
    ReleaseRow,
    Review,
    Sample,
    SampleWithdrawal,
)

TASK = "ingest.undo"
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
UNDER_WAY = "Samples of this ingest are being withdrawn or brought back already. Wait until that has ended."
BATCH = 500  # samples in one transaction; a request works on no more itself
MOST_NAMED = 50  # samples named with the reason why they stay
# Why a sample stays when its ingest is undone, and the rows that hold it.
HOLDERS: dict[str, tuple[Any, str]] = {
    "released": (ReleaseRow, "sample"),
    "reviewed": (Review, "sample"),
    "noted": (Note, "sample"),
    "edited": (Edit, "base"),
    "a revision": (Edit, "revision"),
    "compared (left)": (Preference, "left"),
    "compared (right)": (Preference, "right"),
    "a honeypot": (Honeypot, "sample"),
}


@dataclass(frozen=True)
class Held:
    """A sample that stays, with the reason."""

    sample: Sample
    reasons: list[str]


@dataclass(frozen=True)
class UndoPlan:
    """What undoing an ingest would do now."""

    going: int  # samples that would be withdrawn
    staying: int
    withdrawn: int  # samples that its undoing has withdrawn
    held: list[Held] = field(default_factory=list)  # the first of those that stay


@needs(Scope.CURATE)
def undo_ingest(ingest: Ingest, actor: Actor, reason: str) -> IngestUndo:
    """Withdraw the samples that an ended ingest brought and that nothing holds (HOLDERS), now or by a worker.

    Raises PermissionDenied, WithdrawalError (invalid reason) and IngestError (it has not ended, or a run is under way).
    """
    require_undo(ingest, actor)
    return request(ingest, actor, free_samples(ingest), reason=checked_reason(reason))


@needs(Scope.CURATE)
def restore_ingest(ingest: Ingest, actor: Actor) -> IngestUndo:
    """Bring back the samples that the undoing of this ingest withdrew, now or by a worker. Raises as `undo_ingest`."""
    require_undo(ingest, actor)
    return request(ingest, actor, withdrawals_by(ingest), restores=True)


def request(ingest: Ingest, actor: Actor, rows: QuerySet[Any], **fields: Any) -> IngestUndo:
    few = len(rows.values_list("pk")[: BATCH + 1])
    with transaction.atomic():
        Ingest.objects.select_for_update(no_key=True, of=("self",)).get(pk=ingest.pk)
        if IngestUndo.objects.filter(ingest=ingest, state__in=UNFINISHED).exists():
            raise IngestError(UNDER_WAY)
        run = IngestUndo.objects.create(ingest=ingest, created_by=actor.user, total=few, **fields)
        if few:
            verb = "ingest.restore" if run.restores else "ingest.undo"
            audit.record(actor, verb, ingest, file=ingest.file_name, reason=run.reason)
        if few > BATCH:
            enqueue(TASK, run.pk)
    if few <= BATCH:
        run_undo(run.pk)
        run.refresh_from_db()
    return run


def run_undo(pk: object) -> None:
    """Do the work of a queued run. If its worker died, it continues after its last batch."""
    run_claimed(job_row.claim(IngestUndo, pk), work_through, ())


def work_through(run: IngestUndo) -> None:
    rows = withdrawals_by(run.ingest) if run.restores else free_samples(run.ingest)
    job_row.renew(run, total=run.done + rows.count())
    while ids := list(rows.values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            changed = restore_batch(run, ids) if run.restores else withdraw_batch(run, ids)
            done = run.done + changed
            job_row.renew(run, done=done, total=max(done, run.total))
    job_row.finish(run, total=run.done)


def restore_batch(run: IngestUndo, ids: list[Any]) -> int:
    return end(SampleWithdrawal.objects.filter(pk__in=ids), account(run.created_by))


def withdraw_batch(run: IngestUndo, ids: list[Any]) -> int:
    """Withdraw those of the samples that are still free once their rows are locked."""
    locked = list(
        Sample.objects.select_for_update(no_key=True).filter(pk__in=ids).values_list("pk", flat=True)
    )
    free = list(free_samples(run.ingest).filter(pk__in=locked).values_list("pk", flat=True))
    SampleWithdrawal.objects.bulk_create(
        SampleWithdrawal(
            sample_id=pk, withdrawn_by_id=run.created_by_id, reason=run.reason, ingest=run.ingest
        )
        for pk in free
    )
    hide(free)
    return len(free)


def withdrawals_by(ingest: Ingest) -> QuerySet[SampleWithdrawal]:
    """Return the withdrawals by the undoing of the ingest that are in force."""
    return SampleWithdrawal.objects.in_force().filter(ingest=ingest).order_by("pk")


def latest_run(ingest: Ingest) -> IngestUndo | None:
    return IngestUndo.objects.filter(ingest=ingest).first()


def undo_plan(ingest: Ingest) -> UndoPlan:
    """Return what undoing the ingest would withdraw and what would stay; a fixed number of queries."""
    stays = brought(ingest).exclude(pk__in=free_samples(ingest).values("pk"))
    words = list(HOLDERS)
    held = [Held(sample, reasons_of(sample, words)) for sample in annotated(stays)]
    return UndoPlan(
        free_samples(ingest).count(),
        stays.count(),
        withdrawals_by(ingest).count(),
        held,
    )


def annotated(samples: QuerySet[Sample]) -> QuerySet[Sample]:
    marks = {f"held_{n}": Exists(rows) for n, (_, rows) in enumerate(holders())}
    return samples.annotate(**marks).select_related("task").order_by("created_at", "pk")[:MOST_NAMED]


def reasons_of(sample: Sample, words: list[str]) -> list[str]:
    return [word for n, word in enumerate(words) if getattr(sample, f"held_{n}")]


def brought(ingest: Ingest) -> QuerySet[Sample]:
    """Return the samples that the ingest brought and nobody has withdrawn."""
    return Sample.objects.in_use().filter(ingest=ingest)


def free_samples(ingest: Ingest) -> QuerySet[Sample]:
    """Return the samples of the ingest that nothing holds."""
    held = Q()
    for _, rows in holders():
        held |= Q(Exists(rows))
    return brought(ingest).filter(~held).order_by("pk")


def holders() -> Iterator[tuple[str, QuerySet[Any]]]:
    for word, (model, column) in HOLDERS.items():
        yield word, model.objects.filter(**{column: OuterRef("pk")}).order_by()


def require_undo(ingest: Ingest, actor: Actor) -> None:
    if not may_cancel(actor, ingest):
        raise PermissionDenied("An ingest is undone by the person who started it, or by an administrator.")
    if not ingest.is_finished:
        raise IngestError("The ingest has not ended: cancel it first, then undo it.")
