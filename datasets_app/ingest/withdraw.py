"""Withdraws a sample and brings it back; undo.py does so with all that an ingest brought.

A withdrawn sample is hidden from lists, queues and recipes. It stays stored, its page says who withdrew it and why, and
the releases that hold it stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Ingest, ReviewClaim, Sample, SampleWithdrawal
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.withdrawal import SampleWithdrawalQuerySet
from datasets_app.text_input.validate import prose_fault


class WithdrawalError(ValueError):
    """The withdrawal was refused and nothing was stored. `is_conflict`: the sample was withdrawn before."""

    def __init__(self, sentence: str, *, is_conflict: bool = False) -> None:
        super().__init__(sentence)
        self.is_conflict = is_conflict


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


def hide(ids: list[Any]) -> None:
    """Mark the samples as withdrawn and end the claims on them, so that open review pages say so."""
    Sample.objects.filter(pk__in=ids).update(withdrawn=True)
    ReviewClaim.objects.filter(sample__in=ids).delete()


def end(withdrawals: SampleWithdrawalQuerySet, actor: Actor) -> int:
    """End these withdrawals and show their samples again; return how many."""
    open_ones = withdrawals.in_force()
    Sample.objects.filter(pk__in=open_ones.order_by().values("sample")).update(withdrawn=False)
    return open_ones.update(ended_at=timezone.now(), ended_by=actor.user)


def undone_among(ids: Collection[Any]) -> set[str]:
    """Return those of the samples that the undoing of an ingest withdrew, as hexadecimal ids."""
    undone = SampleWithdrawal.objects.in_force().filter(sample__in=ids, ingest__isnull=False)
    return {pk.hex for pk in undone.order_by().values_list("sample", flat=True)}


def bring_back(ids: Collection[Any], ingest: Ingest) -> None:
    """Show samples again that an ingest brings after an earlier one was undone. They are that ingest's from now on."""
    withdrawals = SampleWithdrawal.objects.in_force().filter(sample__in=ids)
    Sample.objects.filter(pk__in=ids).update(withdrawn=False, ingest=ingest)
    withdrawals.update(ended_at=timezone.now(), ended_by=ingest.created_by)
