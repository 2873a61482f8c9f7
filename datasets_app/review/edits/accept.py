"""Accepts edits that the engine passed: the proposed text becomes a sample, and its base is superseded."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.evidence.record import refresh
from datasets_app.models import (
    Edit,
    EditState,
    EditVersion,
    Evidence,
    Finding,
    MachineCode,
    Sample,
    Verification,
    VerificationReport,
)
from datasets_app.review.edits.errors import EditChangedError, EditError
from datasets_app.review.edits.propose import lock, refuse_superseded
from datasets_app.review.edits.status import EditStatus, Standing, standing_of
from datasets_app.review.edits.texts import refuse_stored
from datasets_app.traces.lengths import count_tokens, tokenizer_name

RULE = "An edit is accepted by a curator, or by a reviewer who did not write it."


def may_accept(actor: Actor, edit: Edit) -> bool:
    """Return whether the actor may accept the edit once it passed: see RULE."""
    return actor.may(Scope.CURATE) or (
        actor.may(Scope.ANNOTATE) and actor.user is not None and not actor.is_user(edit.author_id)
    )


@needs(Scope.ANNOTATE)
def accept_edit(edit: Edit, actor: Actor, seen: int) -> Sample:
    """Make an edit's newest version a sample; return it. `seen` is the number of the version that the page showed.

    Raises PermissionDenied and EditError (EditClosedError, EditChangedError, SupersededError, or not passed).
    """
    person = actor.person()
    if not may_accept(actor, edit):
        raise PermissionDenied(f"{RULE} Ask another reviewer.")
    with transaction.atomic():
        locked = lock(edit)
        refuse_superseded(locked.base)
        standing = standing_of(locked)
        if standing.version.number != seen:
            raise EditChangedError(standing.version.number)
        if standing.status is not EditStatus.PASSED:
            sentence = f"The engine has not passed this edit: it is {standing.status}. Nothing was stored."
            raise EditError({"edit": sentence})
        revision = create_revision(standing.version)
        give_evidence(revision, standing)
        locked.state, locked.revision = EditState.ACCEPTED, revision
        locked.closed_by, locked.closed_at = person, timezone.now()
        locked.save(update_fields=["state", "revision", "closed_by", "closed_at"])
        audit.record(actor, "edit.accept", revision, edit=edit.pk, base=str(edit.base_id))
    revision.refresh_from_db()
    return revision


def create_revision(version: EditVersion) -> Sample:
    """Store the version as a sample. Raises EditError if one of these texts was ingested meanwhile."""
    refuse_stored(version.content_id)
    edits = EditVersion.objects.select_related("edit__author", "edit__base__body", "edit__base__task__body")
    sample = edits.get(pk=version.pk).as_sample()
    if sample.has_trace:
        sample.trace_tokens, sample.tokenizer = count_tokens(sample.body.reasoning), tokenizer_name()
    try:
        with transaction.atomic():
            sample.save(force_insert=True)
            sample.body.sample = sample
            sample.body.save(force_insert=True)
    except IntegrityError as error:  # an ingest stored the same texts at this moment
        raise EditError({"edit": f"The sample {sample.pk} has exactly these texts now."}) from error
    return sample


def give_evidence(revision: Sample, standing: Standing) -> None:
    """Give the revision the runs of its text, or, where the kernel is the base's, what that kernel's evidence says."""
    Verification.runs.filter(edit_version=standing.version).update(sample=revision)
    if not standing.version.kernel_changed:
        for evidence in Evidence.objects.filter(sample=standing.edit.base_id).select_related("verification"):
            carry(evidence.verification, revision)
    refresh([revision.pk])


def carry(run: Verification, revision: Sample) -> None:
    """Store the result of a run of the same program and kernel for the revision; it names the run that it is from."""
    original = run.pk
    run.carried_from_id = run.carried_from_id or original
    run.pk, run.sample, run.edit_version, run.report_key, run.batch = uuid.uuid4(), revision, None, None, None
    run._state.adding = True
    run.save(force_insert=True)
    kinds: tuple[Any, ...] = (Finding, VerificationReport, MachineCode)
    for model in kinds:
        rows = list(model._default_manager.filter(verification=original))
        for row in rows:
            row.verification_id = run.pk
            if model is not VerificationReport:
                row.pk = None
            row._state.adding = True
        model._default_manager.bulk_create(rows)
