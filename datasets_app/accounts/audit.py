"""Writes the audit log, in the same form for pages, the API, admin actions and commands."""

from __future__ import annotations

from typing import Any

from django.db.models import Model

from datasets_app.accounts.actor import Actor
from datasets_app.models import AuditEntry


def record(actor: Actor, action: str, target: Model, **detail: Any) -> AuditEntry:
    """Record that `actor` did `action` to `target`, how the request arrived, and with which token."""
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
