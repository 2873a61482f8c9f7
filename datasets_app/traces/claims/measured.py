"""The parts of the headline evidence that claims are checked against: one query, without the long texts of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from datasets_app.profiler.counters import Executed, executed

if TYPE_CHECKING:  # this package is imported where there is no database
    from datasets_app.models import Sample


@dataclass(frozen=True)
class Measured:
    """`kernels`: the compiler's figures per kernel. `gpu_kernels`: the kernels that ran, with their shares of device
    time.
    """

    outcome: str = ""
    device: str = ""
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    kernels: tuple[dict[str, Any], ...] = ()
    gpu_kernels: tuple[dict[str, Any], ...] = ()
    # The task's work as its verification counted it; empty: not counted.
    work: Mapping[str, Any] = field(default_factory=dict)
    executed: Executed | None = None  # operations as the profiler counted them


COLUMNS = ("outcome", "device", "speedup", "speedup_low", "speedup_high")
PARTS = (
    "report__report__inspection__kernels",
    "report__report__profile_trace__gpu_kernels",
    "report__report__timing__roofline",
    "report__report__inspection__metrics",
)


def measured(sample: Sample) -> Measured:
    """Return the measurements of a sample; empty without deciding evidence."""
    row = sample.verifications.headline().order_by().values_list(*COLUMNS, *PARTS).first()
    if row is None:
        return Measured()
    outcome, device, speedup, low, high, kernels, ran, work, metrics = row
    counted = work if isinstance(work, dict) else {}
    by_profiler = executed(metrics) if isinstance(metrics, dict) else None
    return Measured(outcome, device, speedup, low, high, dicts(kernels), dicts(ran), counted, by_profiler)


def dicts(value: Any) -> tuple[dict[str, Any], ...]:
    """Return a report's list of objects; anything else counts as empty."""
    return tuple(row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()
