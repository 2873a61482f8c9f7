"""Proposes edits and has their text verified: the edit's row, its version and the run are one transaction.

The run belongs to the version and to no sample (datasets_app.models.edit); it is sent, leased and reported like any
other.
"""

from __future__ import annotations

import uuid

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Edit, EditVersion, Priority, Sample, Verification
from datasets_app.review import edits
from eval_app.queue import dispatch
from eval_app.request.verify import DEFAULT_PROFILE, device_for


@needs(Scope.ANNOTATE)
def propose_edit(
    base: Sample, actor: Actor, reasoning: str, kernel: str, reason: str, key: uuid.UUID | None = None
) -> Edit:
    """Store an edit of a sample loaded with_body(), and request its run. Raises what store_edit raises."""
    with transaction.atomic():
        version = edits.store_edit(base, actor, reasoning, kernel, reason, key)
        verify_if_needed(version.edit, actor)
    return version.edit


@needs(Scope.ANNOTATE)
def change_edit(edit: Edit, actor: Actor, reasoning: str, kernel: str, seen: int) -> Edit:
    """Store a further version and request its run; a queued run of the version before is left to end.

    Raises what store_version raises.
    """
    with transaction.atomic():
        edits.store_version(edit, actor, reasoning, kernel, seen)
        verify_if_needed(edit, actor)
    return edit


@needs(Scope.ANNOTATE)
def verify_edit_again(edit: Edit, actor: Actor) -> None:
    """Request another run of a version whose runs decided nothing. Raises EditError for any other."""
    with transaction.atomic():
        Sample.objects.select_for_update(no_key=True).get(pk=edit.base_id)
        standing = edits.standing_of(Edit.objects.get(pk=edit.pk))
        if standing.status is not edits.EditStatus.UNDECIDED:
            sentence = f"This edit is {standing.status}: only one that no run decided is verified again."
            raise edits.EditError({"edit": sentence})
        request_run(standing.version, actor)


def verify_if_needed(edit: Edit, actor: Actor) -> None:
    """Request a run of the newest version, unless evidence of the same kernel passes it or a run waits already."""
    standing = edits.standing_of(edit)
    if standing.status is edits.EditStatus.UNDECIDED and not standing.runs:
        request_run(standing.version, actor)


@needs(Scope.ANNOTATE)
def request_run(version: EditVersion, actor: Actor) -> Verification:
    """Queue a run of a version on the kind of device that its language needs; it is sent after the commit."""
    run = Verification.runs.create(
        edit_version=version,
        profile=DEFAULT_PROFILE,
        wanted_device=device_for(version.language),
        requested_by=actor.user,
        priority=Priority.FIRST,
        attempt=1,
    )
    audit.record(actor, "edit.verify", version.edit.base, edit=version.edit_id, profile=DEFAULT_PROFILE)
    transaction.on_commit(lambda: dispatch.send_after_commit([run.pk]))
    return run
