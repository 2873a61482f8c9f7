"""One way to write the audit log, so that page, API, admin action and command leave the same trace."""

from typing import Any

from django.db.models import Model

from datasets_app.models import AuditEntry

SHELL = "command"


def record(actor: Any, action: str, target: Model, **detail: Any) -> AuditEntry:
    """Write down that `actor` (a user, or None for the shell) did `action` to `target`."""
    user = actor if actor is not None and actor.is_authenticated else None
    return AuditEntry.objects.create(
        actor=user,
        actor_name=user.get_username() if user else SHELL,
        action=action,
        target_type=target._meta.label,
        target_id=str(target.pk),
        detail=detail,
    )
