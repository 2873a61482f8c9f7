"""The profiler's counters of two samples side by side: each one's newest that a report holds, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datasets_app.models import Sample, VerificationReport

NEWEST = 5  # inspected runs of a sample in which counters are looked for
COUNTERS = "report__inspection__metrics"
WHY_MISSING = "report__inspection__missing__metrics"
NOT_INSPECTED = "no verification of it has looked inside"
# By the profiler's names, in the order in which a table is read: memory, units, occupancy, waiting.
LABELS = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "memory throughput, of peak",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "memory throughput of the GPU, of peak",
    "dram__bytes.sum.per_second": "memory traffic per second",
    "dram__bytes_read.sum": "read from memory",
    "dram__bytes_write.sum": "written to memory",
    "lts__throughput.avg.pct_of_peak_sustained_active": "L2 throughput, of peak",
    "lts__t_sector_hit_rate.pct": "L2 hits",
    "l1tex__throughput.avg.pct_of_peak_sustained_active": "L1 throughput, of peak",
    "l1tex__t_sector_hit_rate.pct": "L1 hits",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "throughput of the multiprocessors, of peak",
    "sm__inst_executed_pipe_fp32.avg.pct_of_peak_sustained_active": "FP32 pipe, of peak",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active": "tensor pipe, of peak",
    "sm__inst_executed.sum": "instructions executed",
    "sm__cycles_active.avg": "active cycles per multiprocessor",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy reached",
    "launch__registers_per_thread": "registers per thread",
    "launch__occupancy_limit_registers": "blocks that registers allow",
    "launch__occupancy_limit_shared_mem": "blocks that shared memory allows",
    "launch__occupancy_limit_blocks": "blocks that the device allows",
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct": "waiting for memory (long scoreboard)",
    "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct": "waiting for shared memory (short scoreboard)",
    "smsp__warp_issue_stalled_memory_dependency_per_warp_active.pct": "waiting for a memory dependency",
    "smsp__warp_issue_stalled_barrier_per_warp_active.pct": "waiting at a barrier",
    "smsp__warp_issue_stalled_branch_resolving_per_warp_active.pct": "waiting for a branch",
    "smsp__sass_average_branch_targets_threads_uniform.pct": "uniform branches",
}


@dataclass(frozen=True)
class Row:
    """One counter of both; `ratio` is ours over theirs."""

    name: str
    label: str
    unit: str
    theirs: float | None
    ours: float | None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.ours is not None and self.theirs else None


@dataclass(frozen=True)
class Counted:
    """A sample's newest counters by name, and the device; without any, the reason."""

    metrics: dict[str, Any]
    device: str
    why_missing: str


@dataclass(frozen=True)
class Counters:
    ours: Counted
    theirs: Counted

    @cached_property
    def rows(self) -> list[Row]:
        """Return the counters that a side has, known ones first; none where a side has no counters at all."""
        if not self.ours.metrics or not self.theirs.metrics:
            return []
        found = {**self.theirs.metrics, **self.ours.metrics}
        names = [name for name in LABELS if name in found] + [name for name in found if name not in LABELS]
        return [self.row(name, str(found[name].get("unit") or "")) for name in names]

    def row(self, name: str, unit: str) -> Row:
        theirs, ours = (side.metrics.get(name, {}).get("value") for side in (self.theirs, self.ours))
        return Row(name, LABELS.get(name, ""), unit, theirs, ours)

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Return which sides have no counters, left or right, and the reason of each."""
        sides = (("left", self.theirs), ("right", self.ours))
        return [(which, side.why_missing) for which, side in sides if not side.metrics]

    @property
    def devices(self) -> tuple[str, str] | None:
        """Return both devices where they differ; else None."""
        pair = (self.theirs.device, self.ours.device)
        return pair if self.rows and pair[0] != pair[1] else None


def counters_of(ours: Sample, theirs: Sample) -> Counters:
    """Return both sides: one query each, without the rest of the reports."""
    return Counters(counted(ours), counted(theirs))


def counted(sample: Sample) -> Counted:
    reports = VerificationReport.objects.filter(
        verification__sample=sample, report__inspection__has_key="metrics"
    )
    newest = reports.order_by("-verification__finished_at", "-verification__created_at")
    found = list(newest.values_list(COUNTERS, WHY_MISSING, "verification__device")[:NEWEST])
    for metrics, _, device in found:
        if metrics:
            return Counted(metrics, device, "")
    why = next((why for _, why, _ in found if why), "its runs recorded no counters")
    return Counted({}, "", str(why) if found else NOT_INSPECTED)
