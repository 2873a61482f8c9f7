"""What a source claims about a kernel, as entries of SampleBody.claims: JSON, since sources claim different things."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db import models

EAGER = "eager"
ALSO_CLAIMED = "also_claimed"  # of SampleBody.extra: what further rows about the same sample claim


class Quantity(models.TextChoices):
    """What a claim puts a number to. Times are in milliseconds; work is of one call or launch."""

    SPEEDUP = "speedup", "Speedup"
    TIME = "time_ms", "Time of the kernel (ms)"
    REFERENCE_TIME = "reference_time_ms", "Time of the reference (ms)"
    ABSOLUTE_ERROR = "max_absolute_error", "Largest absolute error"
    RELATIVE_ERROR = "max_relative_error", "Largest relative error"
    SINGLE_FLOPS = "single_flops", "Operations in single precision"
    DOUBLE_FLOPS = "double_flops", "Operations in double precision"
    INTEGER_OPERATIONS = "integer_operations", "Integer operations"
    MEMORY_BYTES = "memory_bytes", "Bytes moved to and from memory"
    SCORE = "score", "Score"


LABELS = {quantity.value: quantity.label for quantity in Quantity}


@dataclass(frozen=True)
class SourceClaim:
    """One number that a source states. `over` names what a speedup is over, `on` a workload or a kernel."""

    quantity: str
    value: float
    over: str = ""
    device: str = ""
    on: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the parts that are not empty."""
        return {name: value for name, value in asdict(self).items() if value != ""}


def in_words(claim: dict[str, Any]) -> str:
    """Return the claim as a reader sees it: 1.53 over torch.compile, on H100."""
    value = claim.get("value")
    number = f"{value:,.6g}" if isinstance(value, int | float) else str(value)
    times = "x" if claim.get("quantity") == Quantity.SPEEDUP else ""
    parts = [f"{number}{times}", f"over {claim['over']}" if claim.get("over") else ""]
    places = [
        f"for {claim['on']}" if claim.get("on") else "",
        f"on {claim['device']}" if claim.get("device") else "",
    ]
    return ", ".join(part for part in (" ".join(filter(None, parts)), *places) if part)


def labelled(claims: Iterable[Any]) -> list[tuple[str, str]]:
    """Return each claim as its label and its words; entries of another form are left out."""
    entries = [claim for claim in claims if isinstance(claim, dict)]
    return [(LABELS.get(str(claim.get("quantity")), "Claim"), in_words(claim)) for claim in entries]


def of_further_rows(stored: Any) -> list[dict[str, Any]]:
    """Return what further rows claim, as kept under ALSO_CLAIMED; a source's own column of that name has no claims."""
    rows = [row for row in stored if isinstance(row, dict)] if isinstance(stored, list) else []
    return [claim for row in rows for claim in of_row(row) if is_claim(claim)]


def of_row(row: dict[str, Any]) -> list[Any]:
    """Return a further row's claims; of one that has a speedup alone, that."""
    if isinstance(claims := row.get("claims"), list):
        return claims
    return [
        {"quantity": Quantity.SPEEDUP.value, "value": row.get("speedup"), "over": EAGER, **device_of(row)}
    ]


def device_of(row: dict[str, Any]) -> dict[str, str]:
    device = row.get("device")
    return {"device": device} if isinstance(device, str) and device else {}


def is_claim(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.get("quantity") not in Quantity.values:
        return False
    value = entry.get("value")
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
