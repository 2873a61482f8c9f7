"""Withdraws samples and brings them back, one by one or all that an ingest brought.

A withdrawn sample is hidden from lists, queues and recipes. It stays stored, its page says who withdrew it and why, and
the releases that hold it stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.cancel import may_cancel
from datasets_app.ingest.rows import IngestError
from datasets_app.models import (
    Edit,
    Honeypot,
    Ingest,
    Note,
    Preference,
    ReleaseRow,
    Review,
    ReviewClaim,
    Sample,
    SampleWithdrawal,
)
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.withdrawal import SampleWithdrawalQuerySet
from datasets_app.text_input.validate import prose_fault

BATCH = 500  # samples withdrawn in one transaction
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


class WithdrawalError(ValueError):
    """The withdrawal was refused and nothing was stored. `is_conflict`: the sample was withdrawn before."""

    def __init__(self, sentence: str, *, is_conflict: bool = False) -> None:
        super().__init__(sentence)
        self.is_conflict = is_conflict


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
def withdraw_sample(sample: Sample, actor: Actor, reason: str) -> SampleWithdrawal:
    """Withdraw a sample with a reason. The same person with the same reason again stores nothing new.

    Raises WithdrawalError for an invalid reason, or if somebody has withdrawn the sample.
    """
    reason = checked_reason(reason)
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        if earlier := SampleWithdrawal.objects.hiding(locked):
            if (earlier.withdrawn_by, earlier.reason) == (actor.user, reason):
                return earlier
            raise WithdrawalError(f"{earlier.sentence} Nothing was stored.", is_conflict=True)
        withdrawal = SampleWithdrawal.objects.create(sample=locked, withdrawn_by=actor.user, reason=reason)
        hide([locked.pk])
        audit.record(actor, "sample.withdraw", locked, reason=reason)
    return withdrawal


@needs(Scope.CURATE)
def restore_sample(sample: Sample, actor: Actor) -> bool:
    """Bring a withdrawn sample back. Return whether it was withdrawn."""
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        ended = end(SampleWithdrawal.objects.filter(sample=locked), actor)
        if ended:
            audit.record(actor, "sample.restore", locked)
    return bool(ended)


def checked_reason(reason: str) -> str:
    """Return the reason as it is stored. Raises WithdrawalError with a sentence."""
    reason = reason.replace("\r\n", "\n").strip()
    if not reason:
        raise WithdrawalError("The reason is empty: say why it is withdrawn.")
    if fault := prose_fault("The reason", reason, LONGEST_REASON):
        raise WithdrawalError(fault)
    return reason


# --- Ingests ------------------------------------------------------------------------------------------


@needs(Scope.CURATE)
def undo_ingest(ingest: Ingest, actor: Actor, reason: str) -> int:
    """Withdraw the samples that an ended ingest brought and that nothing holds (HOLDERS); return how many.

    Raises PermissionDenied, WithdrawalError (invalid reason) and IngestError (it has not ended).
    """
    require_undo(ingest, actor)
    reason = checked_reason(reason)
    total = 0
    while ids := list(free_samples(ingest).values_list("pk", flat=True)[:BATCH]):
        total += withdraw_batch(ingest, actor, reason, ids)
    if total:
        audit.record(actor, "ingest.undo", ingest, file=ingest.file_name, samples=total)
    return total


def withdraw_batch(ingest: Ingest, actor: Actor, reason: str, ids: list[Any]) -> int:
    """Withdraw those of the samples that are still free once their rows are locked."""
    with transaction.atomic():
        locked = list(
            Sample.objects.select_for_update(no_key=True).filter(pk__in=ids).values_list("pk", flat=True)
        )
        free = list(free_samples(ingest).filter(pk__in=locked).values_list("pk", flat=True))
        SampleWithdrawal.objects.bulk_create(
            SampleWithdrawal(sample_id=pk, withdrawn_by=actor.user, reason=reason, ingest=ingest)
            for pk in free
        )
        hide(free)
    return len(free)


@needs(Scope.CURATE)
def restore_ingest(ingest: Ingest, actor: Actor) -> int:
    """Bring back the samples that the undoing of this ingest withdrew; return how many."""
    require_undo(ingest, actor)
    with transaction.atomic():
        ended = end(SampleWithdrawal.objects.filter(ingest=ingest), actor)
        if ended:
            audit.record(actor, "ingest.restore", ingest, file=ingest.file_name, samples=ended)
    return ended


def undo_plan(ingest: Ingest) -> UndoPlan:
    """Return what undoing the ingest would withdraw and what would stay; a fixed number of queries."""
    stays = brought(ingest).exclude(pk__in=free_samples(ingest).values("pk"))
    words = list(HOLDERS)
    held = [Held(sample, reasons_of(sample, words)) for sample in annotated(stays)]
    return UndoPlan(
        free_samples(ingest).count(),
        stays.count(),
        SampleWithdrawal.objects.in_force().filter(ingest=ingest).count(),
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


# --- Both ---------------------------------------------------------------------------------------------


def hide(ids: list[Any]) -> None:
    """Mark the samples as withdrawn and end the claims on them, so that open review pages say so."""
    Sample.objects.filter(pk__in=ids).update(withdrawn=True)
    ReviewClaim.objects.filter(sample__in=ids).delete()


def end(withdrawals: SampleWithdrawalQuerySet, actor: Actor) -> int:
    """End these withdrawals and show their samples again; return how many."""
    open_ones = withdrawals.in_force()
    Sample.objects.filter(pk__in=open_ones.order_by().values("sample")).update(withdrawn=False)
    return open_ones.update(ended_at=timezone.now(), ended_by=actor.user)
