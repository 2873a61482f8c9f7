"""The list of verifications: filters from the URL, and pages by keyset, not by offset."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q

from datasets_app.models import FAULTS, Environment, Outcome, Verification
from datasets_app.models.identity import is_uuid
from datasets_app.models.verification import VerificationQuerySet
from eval_app.request.verify import PROFILE_NAMES

PAGE_SIZE = 50
OUTCOMES = list(Outcome.values)
STATES = {"waiting": "queued", "running": "running", "done": "done", "cancelled": "failed"}
STATE_CHOICES = [(word, word) for word in STATES]
FAILED = "failed"  # every fault of the kernel
YES, NO = "yes", "no"
CHOICES = {
    "outcome": [*OUTCOMES, FAILED],
    "state": list(STATES),
    "profile": PROFILE_NAMES,
    "stale": [YES, NO],
}
FIELDS = ("outcome", "state", "device", "profile", "sample", "task", "batch", "finding", "stale")


class FilterError(ValueError):
    """`errors`: parameter to a sentence that names the valid values."""

    def __init__(self, errors: dict[str, str]) -> None:
        self.errors = errors
        super().__init__(" ".join(errors.values()))


@dataclass(frozen=True)
class VerificationFilter:
    """The filters of a list; an empty text means no filter."""

    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> "VerificationFilter":
        """Read the parameters of a URL. Raises FilterError for a value that cannot match."""
        values = {name: str(params[name]).strip() for name in FIELDS if str(params.get(name) or "").strip()}
        errors = {name: text for name, value in values.items() if (text := fault(name, value))}
        if errors:
            raise FilterError(errors)
        return cls(values)

    def __getattr__(self, name: str) -> str:
        if name in FIELDS:
            return self.values.get(name, "")
        raise AttributeError(name)

    def __bool__(self) -> bool:
        return bool(self.values)

    def queryset(self) -> VerificationQuerySet:
        rows = Verification.objects.all()
        for name, value in self.values.items():
            rows = rows.filter(condition(name, value))
        return rows

    def querystring(self, **changes: str) -> str:
        values = {**self.values, **changes}
        return urlencode({name: value for name, value in values.items() if value})

    def words(self) -> str:
        """Return the filter in words."""
        spoken = {name: value.replace("_", " ") for name, value in self.values.items() if name != "batch"}
        if spoken.get("outcome") == "failed":
            spoken["outcome"] = "any kernel failure"
        conditions = [f"{name} {value}" for name, value in spoken.items()]
        whole = "Verifications of the batch" if "batch" in self.values else "All verifications"
        return f"{whole.replace('All v', 'V')} with {', '.join(conditions)}" if conditions else whole


def fault(name: str, value: str) -> str:
    """Return what is wrong with a value; empty if nothing is."""
    choices = CHOICES.get(name)
    if choices and value not in choices:
        return f"{name} must be one of: {', '.join(choices)}."
    if name in ("sample", "task", "batch") and not is_uuid(value):
        return f"{name} must be an id such as {uuid.NAMESPACE_URL}."
    if "\x00" in value:
        return f"{name} holds a character that cannot be searched for."
    return ""


def condition(name: str, value: str) -> Q:
    if name == "outcome":
        return Q(outcome__in=FAULTS) if value == FAILED else Q(outcome=value)
    if name == "state":
        return Q(state=STATES[value])
    if name == "device":
        return Q(wanted_device=value) if value in ("cpu", "cuda") else Q(device=value)
    if name == "task":
        return Q(sample__task=value)
    if name == "finding":
        return Q(pk__in=Verification.objects.filter(findings__code=value).values("pk"))
    if name == "stale":
        stale = Q(environment__in=Environment.objects.stale())
        return stale if value == YES else Q(state="done") & ~stale
    return Q(**{name: value})


# --- Pages --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """Rows, newest first, and the cursor of the older ones."""

    rows: list[Verification]
    older: str  # the cursor of the next page; empty at the end


def page(rows: VerificationQuerySet, cursor: str = "", size: int = PAGE_SIZE) -> Page:
    """Return the rows after `cursor`. Raises FilterError for an invalid cursor."""
    if cursor:
        moment, pk = read_cursor(cursor)
        rows = rows.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=pk))
    shown = list(rows.for_list().order_by("-created_at", "-id")[: size + 1])
    last = shown[size - 1] if len(shown) > size else None
    return Page(shown[:size], f"{last.created_at.isoformat()}~{last.pk}" if last else "")


def read_moment(text: str) -> datetime:
    """Return the moment of a polled page. Raises FilterError for one that no page stated."""
    try:
        return in_utc(text)
    except (ValueError, OverflowError) as error:
        raise FilterError({"until": "until is not a moment that this page gave; reload it."}) from error


def in_utc(text: str) -> datetime:
    """Return a moment. Raises ValueError for one without a time zone, OverflowError for one before year 1 in UTC."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("It lacks its time zone.")
    return moment.astimezone(UTC)


def read_cursor(text: str) -> tuple[datetime, uuid.UUID]:
    moment, _, pk = text.partition("~")
    try:
        return in_utc(moment), uuid.UUID(pk)
    except (ValueError, OverflowError) as error:
        raise FilterError(
            {"cursor": "cursor is not one that this page gave; begin again without it."}
        ) from error
