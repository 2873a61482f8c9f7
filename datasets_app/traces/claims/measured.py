"""What the headline evidence says that a claim can be held against: one query, without the long texts of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # this package is imported where there is no database
    from datasets_app.models import Sample


@dataclass(frozen=True)
class Measured:
    """`kernels`: the compiler's figures by kernel. `gpu_kernels`: what ran, with its share of the device's time."""

    outcome: str = ""
    device: str = ""
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    kernels: tuple[dict[str, Any], ...] = ()
    gpu_kernels: tuple[dict[str, Any], ...] = ()


COLUMNS = ("outcome", "device", "speedup", "speedup_low", "speedup_high")
PARTS = ("report__report__inspection__kernels", "report__report__profile_trace__gpu_kernels")


def measured(sample: Sample) -> Measured:
    """Empty where nothing was decided."""
    row = sample.verifications.headline().order_by().values_list(*COLUMNS, *PARTS).first()
    if row is None:
        return Measured()
    outcome, device, speedup, low, high, kernels, ran = row
    return Measured(outcome, device, speedup, low, high, dicts(kernels), dicts(ran))


def dicts(value: Any) -> tuple[dict[str, Any], ...]:
    """A list of objects as the report holds it; anything else counts as nothing."""
    return tuple(one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()
