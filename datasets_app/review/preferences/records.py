"""Preferences as JSON Lines, out and in again: what was read back is written as the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Preference, PreferenceWithdrawal
from datasets_app.review.json_lines import (
    Imported,
    RecordError,
    account,
    import_lines,
    known_sample,
    moment,
    parsed_moment,
    withdrawal_record,
)
from datasets_app.review.preferences.errors import PreferenceError
from datasets_app.review.preferences.verbs import checked_fields, checked_pair, checked_withdrawal

MOST_LINE_CHARS = 200_000  # ten times the longest reason, escaped
BATCH = 500  # preferences per query


def exported_lines() -> Iterator[str]:
    """Yield every preference, withdrawn ones too, as a line of JSON, oldest first."""
    for preference in Preference.objects.with_people().order_by("created_at", "id").iterator(BATCH):
        yield line_of(preference)


def line_of(preference: Preference) -> str:
    return json.dumps(record_of(preference), ensure_ascii=False) + "\n"


def record_of(preference: Preference) -> dict[str, Any]:
    return {
        "id": str(preference.pk),
        "task": str(preference.task_id),
        "left": str(preference.left_id),
        "right": str(preference.right_id),
        "choice": preference.choice,
        "reason": preference.reason,
        "reviewer": preference.reviewer.get_username(),
        "created_at": moment(preference.created_at),
        "withdrawal": withdrawal_record(preference.withdrawal) if preference.is_withdrawn else None,
    }


@needs(Scope.ADMIN)
def import_preferences(actor: Actor, lines: Iterable[str]) -> Imported:
    """Store the preferences of exported lines. One that is stored already is left as it is."""
    return import_lines(
        lines,
        store_line,
        lambda new: audit.record(actor, "preference.import", new.left, preference=str(new.pk)),
    )


def store_line(line: str) -> Preference | None:
    """Store the preference of a line, or return None if it is there already. Raises RecordError with a sentence."""
    preference, withdrawal = parsed(line)
    if stored := Preference.objects.with_people().filter(pk=preference.pk).first():
        if line_of(stored) == line.rstrip("\r\n") + "\n":
            return None
        raise RecordError(
            f"The preference {preference.pk} is stored with other content: it is left as it is."
        )
    mine = Preference.objects.standing().filter(reviewer=preference.reviewer_id)
    if withdrawal is None and mine.of_pair(preference.left_id, preference.right_id).exists():
        raise RecordError(f"{preference.reviewer} has another preference of this pair, which stands here.")
    preference.save()
    if withdrawal:
        withdrawal.save()
    return preference


def parsed(line: str) -> tuple[Preference, PreferenceWithdrawal | None]:
    """Return the rows of a line, not stored yet."""
    if len(line) > MOST_LINE_CHARS:
        raise RecordError(f"The line is longer than {MOST_LINE_CHARS:,} characters.")
    try:
        record = json.loads(line)
        preference = Preference(
            pk=UUID(record["id"]),
            left=known_sample(record["left"]),
            right=known_sample(record["right"]),
            reviewer=account(record["reviewer"]),
            created_at=parsed_moment(record["created_at"]),
            **unchanged(record, checked_fields(record["choice"], record["reason"])),
        )
        preference.task_id = checked_pair(preference.left, preference.right)["task_id"]
        if UUID(record["task"]) != preference.task_id:
            raise RecordError(f"The samples are not of the task {UUID(record['task'])}.")
        return preference, withdrawal_of(preference, record["withdrawal"])
    except RecordError:
        raise
    except PreferenceError as error:
        raise RecordError(str(error)) from error
    except ValidationError as error:
        raise RecordError(" ".join(error.messages)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RecordError("This is not a preference as `manage.py preferences export` writes it.") from error


def withdrawal_of(preference: Preference, record: dict[str, Any] | None) -> PreferenceWithdrawal | None:
    if record is None:
        return None
    return PreferenceWithdrawal(
        preference=preference,
        withdrawn_by=account(record["withdrawn_by"]),
        created_at=parsed_moment(record["created_at"]),
        **unchanged(record, {"reason": checked_withdrawal(record["reason"])}),
    )


def unchanged(record: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields. Raises ValueError if storing them would change what the line says."""
    if any(record[name] != value for name, value in fields.items()):
        raise ValueError
    return fields
