"""Stores and withdraws preferences. Of each reviewer, at most one preference of a pair stands."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_preference
from datasets_app.accounts.roles import Scope
from datasets_app.models import (
    Preference,
    PreferenceChoice,
    PreferenceWithdrawal,
    Sample,
    SampleWithdrawal,
    Task,
)
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.preference import LONGEST_PREFERENCE_TEXT
from datasets_app.review.preferences.errors import (
    AlreadyComparedError,
    PreferenceError,
    PreferenceWithdrawnError,
)
from datasets_app.review.submit import KeyReusedError
from datasets_app.text_input.validate import prose_fault

TAKEN_BACK = "Taken back by its reviewer."


@needs(Scope.ANNOTATE)
def submit_preference(
    left: Sample,
    right: Sample,
    actor: Actor,
    choice: str,
    reason: str = "",
    key: uuid.UUID | None = None,
) -> Preference:
    """Store which of two samples of one task is better. A repeated key with the same content stores nothing new.

    Raises PermissionDenied, PreferenceError (invalid fields), AlreadyComparedError, and KeyReusedError (the key was
    used with other content).
    """
    reviewer = actor.person()
    fields = {**checked_pair(left, right), **checked_fields(choice, reason)}
    with transaction.atomic():
        Task.objects.select_for_update(no_key=True).get(pk=left.task_id)  # one reviewer's two tabs in turn
        if earlier := Preference.objects.filter(pk=key).first() if key else None:
            return same_submission(earlier, reviewer, fields)
        mine = Preference.objects.standing().filter(reviewer=reviewer)
        if stored := mine.of_pair(left.pk, right.pk).first():
            raise AlreadyComparedError(stored)
        refuse_withdrawn(left, right)
        preference = create(key or uuid.uuid4(), reviewer, fields)
        audit.record(actor, "preference.submit", left, preference=str(preference.pk), choice=choice)
    return preference


def create(key: uuid.UUID, reviewer: Any, fields: dict[str, Any]) -> Preference:
    try:
        with transaction.atomic():
            return Preference.objects.create(pk=key, reviewer=reviewer, **fields)
    except IntegrityError as error:  # two tasks at once with one key
        raise KeyReusedError(f"The key {key} belongs to another preference.") from error


def refuse_withdrawn(*samples: Sample) -> None:
    """Raise PreferenceError if somebody has withdrawn one of the samples."""
    rows = SampleWithdrawal.objects.in_force().filter(sample__in=samples)
    if withdrawal := rows.select_related("withdrawn_by").first():
        raise PreferenceError({"choice": f"{withdrawal.sentence} Nothing was stored: take another pair."})


def same_submission(stored: Preference, reviewer: Any, fields: dict[str, Any]) -> Preference:
    same = stored.reviewer_id == reviewer.pk
    if same and all(getattr(stored, name) == value for name, value in fields.items()):
        return stored
    raise KeyReusedError(f"The key {stored.pk} was already used for a preference with other content.")


def checked_pair(left: Sample, right: Sample) -> dict[str, Any]:
    """Return the columns of the pair. Raises PreferenceError unless these are two samples of one task."""
    if left.pk == right.pk:
        raise PreferenceError({"right": "A sample is not compared with itself: choose two."})
    if left.task_id != right.task_id:
        raise PreferenceError(
            {"right": "These samples are of two tasks: choose two kernels that compute the same."}
        )
    return {"task_id": left.task_id, "left_id": left.pk, "right_id": right.pk}


def checked_fields(choice: str, reason: str) -> dict[str, Any]:
    """Return the columns of the choice. Raises PreferenceError with a sentence per invalid field."""
    errors = {}
    if choice not in PreferenceChoice.values:
        errors["choice"] = "Choose left, right or tie."
    reason = reason.replace("\r\n", "\n").strip()
    if fault := prose_fault("The reason", reason, LONGEST_PREFERENCE_TEXT):
        errors["reason"] = fault
    if errors:
        raise PreferenceError(errors)
    return {"choice": choice, "reason": reason}


@needs(Scope.ANNOTATE)
def withdraw_preference(preference: Preference, actor: Actor, reason: str) -> PreferenceWithdrawal:
    """Withdraw a preference with a reason: it stays stored, and counts nowhere.

    The same person with the same reason again stores nothing new. Raises PermissionDenied, PreferenceError (invalid
    reason) and PreferenceWithdrawnError.
    """
    person = actor.person()
    require_preference(actor, preference.reviewer_id)
    reason = checked_withdrawal(reason)
    with transaction.atomic():
        locked = Preference.objects.select_for_update(no_key=True).select_related(None).get(pk=preference.pk)
        earlier = (
            PreferenceWithdrawal.objects.filter(preference=locked).select_related("withdrawn_by").first()
        )
        if earlier:
            if (earlier.withdrawn_by_id, earlier.reason) == (person.pk, reason):
                return earlier
            raise PreferenceWithdrawnError(earlier)
        withdrawal = PreferenceWithdrawal.objects.create(
            preference=locked, withdrawn_by=person, reason=reason
        )
        audit.record(actor, "preference.withdraw", locked.left, preference=str(locked.pk))
    return withdrawal


def checked_withdrawal(reason: str) -> str:
    """Return the reason as it is stored. Raises PreferenceError with a sentence."""
    reason = reason.replace("\r\n", "\n").strip()
    fault = prose_fault("The reason", reason, LONGEST_REASON)
    if not reason:
        fault = "The reason is empty: say why the preference is withdrawn."
    if fault:
        raise PreferenceError({"reason": fault})
    return reason


def last_preference(reviewer: Any) -> Preference | None:
    """Return this reviewer's newest standing preference, which undo takes back."""
    return Preference.objects.standing().filter(reviewer=reviewer).first()


@needs(Scope.ANNOTATE)
def take_back_last(actor: Actor) -> Preference | None:
    """Withdraw the actor's newest standing preference, and return it; None if there is none."""
    last = last_preference(actor.person())
    if last:
        withdraw_preference(last, actor, TAKEN_BACK)
    return last
