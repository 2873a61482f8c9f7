"""Withdraws open edits: the texts and their runs stay stored and shown."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Edit, EditState, Sample
from datasets_app.review.edits.errors import EditClosedError


def may_change(actor: Actor, edit: Edit) -> bool:
    """Return whether the actor may send further versions of an edit: its author alone."""
    return actor.is_user(edit.author_id) and actor.may(Scope.ANNOTATE)


def require_author(actor: Actor, edit: Edit) -> None:
    if not may_change(actor, edit):
        raise PermissionDenied("Only its author may change an edit: propose your own instead.")


@needs(Scope.ANNOTATE)
def withdraw_edit(edit: Edit, actor: Actor) -> None:
    """Withdraw an open edit: its author and curators may. Raises PermissionDenied and EditClosedError."""
    person = actor.person()
    if not (actor.is_user(edit.author_id) or actor.may(Scope.CURATE)):
        raise PermissionDenied("Only its author, or a curator, may withdraw an edit.")
    with transaction.atomic():
        Sample.objects.select_for_update(no_key=True).get(pk=edit.base_id)
        closed = Edit.objects.open().filter(pk=edit.pk)
        if not closed.update(state=EditState.WITHDRAWN, closed_by=person, closed_at=timezone.now()):
            raise EditClosedError(Edit.objects.get(pk=edit.pk))
        audit.record(actor, "edit.withdraw", edit.base, edit=edit.pk)
