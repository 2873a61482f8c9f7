"""What a source claims about a kernel, as entries of SampleBody.claims: JSON, since sources claim different things."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db import models

EAGER = "eager"


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
