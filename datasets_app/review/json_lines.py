"""What people decided as JSON Lines: the parts that every kind of record shares, and the loop that reads a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction

from datasets_app.models import Sample
from datasets_app.models.judgement_withdrawal import JudgementWithdrawal
from datasets_app.text_input.storable import storable

Record = TypeVar("Record")


class RecordError(ValueError):
    """A line that is no such record, or not one that this site can store."""


@dataclass
class Imported:
    """What became of the lines of a file. `refused`: a line's number and the reason."""

    stored: int = 0
    present: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)


def import_lines(
    lines: Iterable[str], store_line: Callable[[str], Record | None], note: Callable[[Record], object]
) -> Imported:
    """Store each line in a transaction of its own, and note each new record in the audit log within it.

    `store_line` returns None for a record that is there already, and raises RecordError for one that is refused.
    """
    done = Imported()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            with transaction.atomic():
                record = store_line(line)
                if record is not None:
                    note(record)
        except RecordError as error:
            done.refused.append((number, str(error)))
        else:
            done.stored += record is not None
            done.present += record is None
    return done


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def withdrawal_record(withdrawal: JudgementWithdrawal) -> dict[str, Any]:
    return {
        "withdrawn_by": withdrawal.withdrawn_by.get_username(),
        "reason": withdrawal.reason,
        "created_at": moment(withdrawal.created_at),
    }


def parsed_moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise RecordError(f"The time {text[:40]} has no time zone.")
    return at


def known_sample(text: str) -> Sample:
    sample = Sample.objects.filter(pk=UUID(text)).first()
    if sample is None:
        raise RecordError(f"There is no sample {UUID(text)}: ingest it first.")
    return sample


def account(name: str) -> Any:
    user = get_user_model().objects.filter(username=storable(name)).first()
    if user is None:
        raise RecordError(f"No account is called {name[:150]}: make it first.")
    return user
