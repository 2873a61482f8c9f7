"""One way to write the audit log, so that page, API, admin action and command leave the same trace."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from datasets_app.accounts.actor import Actor
from datasets_app.models import AuditEntry


def record(actor: Actor, action: str, target: Model, **detail: Any) -> AuditEntry:
    """Write down that `actor` did `action` to `target`: how it came in, and by which token."""
    return AuditEntry.objects.create(
        actor=actor.user,
        actor_name=actor.name,
        via=actor.via,
        token=actor.token,
        action=action,
        target_type=target._meta.label,
        target_id=str(target.pk),
        detail=detail,
    )
