"""Names the profiler's counters, selects those that tell most, counts operations, says what limits occupancy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": "additions, single precision",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": "multiplications, single precision",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": "multiply-adds, single precision",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum": "additions, double precision",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum": "multiplications, double precision",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": "multiply-adds, double precision",
}
# What a model is told of its kernel: whether memory or units are busy, what the caches save, what warps wait for.
TELLING = (
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sector_hit_rate.pct",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l1tex__t_sector_hit_rate.pct",
    "sm__inst_executed_pipe_fp32.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__registers_per_thread",
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct",
    "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct",
    "smsp__warp_issue_stalled_barrier_per_warp_active.pct",
)
OPERATIONS = {"add": 1, "mul": 1, "fma": 2}  # of an instruction
LIMIT = "launch__occupancy_limit_"  # blocks that each resource has room for
LIMITS = {
    "registers": "registers",
    "shared_mem": "shared memory",
    "blocks": "the device's number of blocks",
    "warps": "warps",
}


@dataclass(frozen=True)
class Counter:
    name: str
    label: str
    value: float
    unit: str


@dataclass(frozen=True)
class Executed:
    """Operations of a mean launch of the kernel that ran longest. Tensor cores and special functions are not in it."""

    single: float
    double: float


def executed(metrics: Mapping[str, Any]) -> Executed | None:
    """Return the operations that the profiler counted; None if it did not count all of them."""
    single, double = (
        [
            (value_of(metrics, f"smsp__sass_thread_inst_executed_op_{precision}{name}_pred_on.sum"), each)
            for name, each in OPERATIONS.items()
        ]
        for precision in "fd"
    )
    if any(value is None for value, _ in (*single, *double)):
        return None
    return Executed(*(sum((value or 0.0) * each for value, each in counts) for counts in (single, double)))


def telling(metrics: Mapping[str, Any]) -> list[Counter]:
    """Return the counters of a report that tell most, in the order of TELLING; those without a number are left out."""
    return [
        Counter(name, LABELS[name], value, str(metrics[name].get("unit") or ""))
        for name in TELLING
        if (value := value_of(metrics, name)) is not None
    ]


def occupancy(metrics: Mapping[str, Any]) -> str:
    """Return what limits the blocks that run at once on a multiprocessor, as a sentence; empty if not measured."""
    measured = {name: value_of(metrics, f"{LIMIT}{name}") for name in LIMITS}
    limits = {name: value for name, value in measured.items() if value is not None and value > 0}
    if not limits:
        return ""
    least = min(limits.values())
    which = [LIMITS[name] for name, value in limits.items() if value == least]
    blocks = "1 block runs" if least == 1 else f"{least:g} blocks run"
    return f"At most {blocks} on a multiprocessor at once, limited by {' and '.join(which)}."


def value_of(metrics: Mapping[str, Any], name: str) -> float | None:
    value = (metrics.get(name) or {}).get("value")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None
