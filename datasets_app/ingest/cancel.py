"""Cancels an ingest: it ends within seconds, and what was stored by then stays."""

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
    """Return whether the actor started it and may curate, or administrates."""
    return actor.may(Scope.ADMIN) or (actor.may(Scope.CURATE) and actor.is_user(ingest.created_by_id))


@needs(Scope.CURATE)
def cancel_ingest(ingest: Ingest, actor: Actor) -> None:
    """Cancel what waits, runs, or needs a person's choice; a second time changes nothing. Wakes what waited for it.

    The process that reads the file stops at its next portion; one that does not is killed. Rows that are stored stay,
    and are counted: other samples and reviews may rest on them. Raises PermissionDenied, and IngestError for one that
    has ended.
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
