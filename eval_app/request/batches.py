"""Batches: what was requested together has a title, and is cancelled together."""

from __future__ import annotations

import uuid

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.accounts.roles import Scope
from datasets_app.models import JobState, Verification
from eval_app.attempts.drop_messages import drop_messages_of
from eval_app.models import VerificationBatch
from eval_app.models.batch import LONGEST_TITLE


def store(batch: uuid.UUID, title: str, actor: Actor) -> None:
    """Store a batch's title; of a batch that is requested in parts, the first part does."""
    row = VerificationBatch(pk=batch, title=title[:LONGEST_TITLE], requested_by=actor.user)
    VerificationBatch.objects.bulk_create([row], ignore_conflicts=True)


@needs(Scope.ANNOTATE)
def cancel_queued(batch: VerificationBatch, actor: Actor) -> int:
    """Cancel the batch's queued verifications and return how many; running and finished ones stay.

    Raises PermissionDenied for an actor who neither requested the batch nor may curate.
    """
    if not may_withdraw(actor, batch.requested_by_id):
        raise PermissionDenied("Only whoever requested a batch, or a curator, may cancel it.")
    now = timezone.now()
    error = f"Cancelled by {actor.name} while it was queued."
    with transaction.atomic():
        rows = Verification.objects.filter(batch=batch.pk)
        rows.waiting().update(state=JobState.FAILED, finished_at=now, error=error)
        cancelled = list(rows.filter(state=JobState.FAILED, finished_at=now).only("pk", "attempt", "sent_at"))
        if cancelled:
            audit.record(actor, "verification.cancel-batch", batch, count=len(cancelled), name=batch.title)
        if sent := [(row.pk, row.attempt) for row in cancelled if row.sent_at]:
            transaction.on_commit(lambda: drop_messages_of(sent))
    return len(cancelled)
