"""Cancels an ingest: it ends within seconds, and what was stored by then is kept."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.start import enqueue_next
from datasets_app.models import Ingest, IngestState

OPEN = Q(state__in=[IngestState.QUEUED, IngestState.RUNNING]) | Q(state=IngestState.FAILED, format="")


def may_cancel(actor: Actor, ingest: Ingest) -> bool:
    """Return whether the actor is an administrator, or started the ingest and may still curate."""
    return actor.may(Scope.ADMIN) or (actor.may(Scope.CURATE) and actor.is_user(ingest.created_by_id))


@needs(Scope.CURATE)
def cancel_ingest(ingest: Ingest, actor: Actor) -> None:
    """Cancel a queued or running ingest, or one that needs a decision; a second time changes nothing. Enqueues its
    followers.

    The process that reads the file stops at its next batch, or is killed. Stored rows are kept and counted: other
    samples and reviews may depend on them. Raises PermissionDenied, or IngestError if the ingest has ended.
    """
    if not may_cancel(actor, ingest):
        raise PermissionDenied("An ingest is cancelled by the person who started it, or by an administrator.")
    with transaction.atomic():
        changed = Ingest.objects.filter(OPEN, pk=ingest.pk).update(
            state=IngestState.CANCELLED,
            error=f"Cancelled by {actor.name}.",
            finished_at=timezone.now(),
            lease_until=None,
        )
        if changed:
            audit.record(actor, "ingest.cancel", ingest, file=ingest.file_name)
            enqueue_next(ingest)
    ingest.refresh_from_db()
    if not changed and ingest.state != IngestState.CANCELLED:
        raise IngestError(f"The ingest has ended already: it is {ingest.get_state_display().lower()}.")
