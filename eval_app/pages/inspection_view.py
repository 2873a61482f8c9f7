"""The inspection of a kernel: GPU kernels in the trace, registers and spills, metrics, the sanitizer."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datasets_app.profiler import counters
from eval_app.pages.timing_view import with_unit

KERNEL_COLUMNS = {
    "registers": "Registers",
    "shared_bytes": "Shared, B",
    "spill_store_bytes": "Local stores, B",
    "spill_load_bytes": "Local loads, B",
    "stack_bytes": "Stack, B",
    "constant_bytes": "Constant, B",
}
SPILLS = ("spill_store_bytes", "spill_load_bytes")


@dataclass(frozen=True)
class TracedKernel:
    """One GPU kernel in the profiler's trace."""

    name: str
    calls: float  # in one call of the model
    total_ms: float
    percent: float
    own: bool  # compiled from the submission


@dataclass(frozen=True)
class Cell:
    label: str
    value: int | None
    doubtful: bool  # local memory: registers that were spilled, or arrays that are indexed at run time


@dataclass(frozen=True)
class CompiledKernel:
    """One kernel as the compiler made it."""

    name: str
    arch: str
    cells: list[Cell]


@dataclass(frozen=True)
class Metric:
    """One counter of the profiler. `label`: its name in words, or empty."""

    name: str
    label: str
    value: Any
    unit: str


@dataclass(frozen=True)
class Inspection:
    """The report's `inspection` and `profile_trace`; either may be missing."""

    inspection: Mapping[str, Any]
    trace: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self.inspection or self.trace)

    @property
    def own_percent(self) -> float | None:
        share = self.trace.get("custom_kernel_share")
        return None if share is None else 100 * share

    @cached_property
    def ran(self) -> list[TracedKernel]:
        """Return the kernels in the trace, the longest first."""
        kernels = [
            TracedKernel(item["name"], item["calls"], item["total_ms"], 100 * item["share"], item["own"])
            for item in self.trace.get("gpu_kernels") or []
        ]
        return sorted(kernels, key=lambda kernel: -kernel.total_ms)

    @property
    def columns(self) -> list[str]:
        return list(KERNEL_COLUMNS.values())

    @cached_property
    def compiled(self) -> list[CompiledKernel]:
        return [
            CompiledKernel(
                item["name"],
                item.get("arch") or "",
                [
                    Cell(
                        label[0].lower() + label[1:], item.get(name), name in SPILLS and bool(item.get(name))
                    )
                    for name, label in KERNEL_COLUMNS.items()
                ],
            )
            for item in self.inspection.get("kernels") or []
        ]

    @cached_property
    def metrics(self) -> list[Metric]:
        metrics = self.inspection.get("metrics") or {}
        return [
            Metric(name, counters.LABELS.get(name, ""), item.get("value"), item.get("unit") or "")
            for name, item in metrics.items()
        ]

    @property
    def occupancy(self) -> str:
        """Return what limits the blocks that run at once on a multiprocessor, as a sentence; empty if not measured."""
        return counters.occupancy(self.inspection.get("metrics") or {})

    @property
    def executed(self) -> str:
        """Return the operations that the profiler counted, as a sentence; empty if it did not."""
        counted = counters.executed(self.inspection.get("metrics") or {})
        if counted is None:
            return ""
        single, double = (with_unit(value, "FLOP") for value in (counted.single, counted.double))
        return (
            f"A launch of the kernel that ran longest executed {single} in single and {double} in double precision, "
            "without those of tensor cores and special functions."
        )

    @property
    def sanitizer(self) -> Mapping[str, Any] | None:
        return self.inspection.get("sanitizer")

    @property
    def missing(self) -> dict[str, str]:
        """Return the parts that were not inspected, with the reasons."""
        traced = {"trace of the GPU": why} if (why := self.trace.get("missing")) else {}
        return {**traced, **(self.inspection.get("missing") or {})}
