"""Tools that watch a candidate run: Nsight Compute's counters, compute-sanitizer's memory check."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_app.engine.contract.inspection import MAX_LOG_CHARS, Metric, Sanitizer
from eval_app.engine.contract.jobs import Finding, Severity
from eval_app.engine.hardware import device as devices
from eval_app.engine.inspect import tools
from eval_app.engine.sandbox import bubblewrap as sandbox

# Counters that CudaForge (Zhang et al. 2025) feeds back to its model, by ncu's names.
METRICS = (
    "sm__cycles_active.avg", "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__registers_per_thread",
    "sm__inst_executed.sum", "sm__inst_executed_pipe_fp32.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_second",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct",
    "l1tex__throughput.avg.pct_of_peak_sustained_active", "lts__t_sector_hit_rate.pct",
    "lts__throughput.avg.pct_of_peak_sustained_active",
    "smsp__warp_issue_stalled_memory_dependency_per_warp_active.pct",
    "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct",
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct",
    "smsp__warp_issue_stalled_barrier_per_warp_active.pct",
    "smsp__warp_issue_stalled_branch_resolving_per_warp_active.pct",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
)  # fmt: skip
# Additions, multiplications and multiply-adds that threads executed, in single and in double precision.
ARITHMETIC = tuple(
    f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum"
    for name in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")
)
COLLECTED = (*METRICS, *ARITHMETIC)
_NCU_TIMEOUT_S = 180.0
_SANITIZER_TIMEOUT_S = 240.0
_LAUNCHES = 20
_CALLS = 2
_SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) error")
_NOT_ALLOWED = "ERR_NVGPUCTRPERM"
# GPUs are numbered as for a lane; few threads, because the sandbox limits them.
_ENVIRONMENT = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# The program that starts compute-sanitizer's target, beside it in a complete installation.
_LAUNCHER = "TreeLauncherSubreaper"
_SAID_CHARS = 240


@dataclass(frozen=True)
class Subject:
    """One candidate on one device, with the modules built for it."""

    candidate: str
    reference: str
    # "cpu" or "cuda".
    device: str
    # Number of the GPU, the only one visible to the process.
    index: int
    # Paths by build key, and the toolchain's fingerprint in the keys.
    modules: dict[str, str]
    fingerprint: str
    # "bwrap" or "none".
    sandbox: str

    @contextmanager
    def command(self) -> Iterator[tuple[list[str], list[str], dict[str, str]]]:
        """Yield the command that replays the candidate, the folders that it reads, and its environment."""
        with tempfile.TemporaryDirectory(prefix="replay-") as folder:
            os.chmod(folder, 0o755)  # noqa: S103
            spec = Path(folder) / "spec.json"
            spec.write_text(json.dumps(self._spec()), "utf-8")
            os.chmod(spec, 0o644)
            readable = [folder, *{str(Path(path).parent) for path in self.modules.values()}]
            argv = [str(sandbox.python_path()), "-P", "-m", "eval_app.engine.inspect.replay", str(spec)]
            yield argv, readable, _ENVIRONMENT | {"CUDA_VISIBLE_DEVICES": self._exposure()[1]}

    @property
    def gpu_file(self) -> str:
        """Return the device file that the process may open; empty for all, and on a CPU."""
        return self._exposure()[0]

    def _exposure(self) -> tuple[str, str]:
        return devices.exposure(self.index) if self.device == "cuda" else ("", "")

    def _spec(self) -> dict[str, Any]:
        return {
            "candidate": self.candidate, "reference": self.reference, "device": self.device, "calls": _CALLS,
            "modules": self.modules, "fingerprint": self.fingerprint,
        }  # fmt: skip


def _watch(
    subject: Subject, tool: Sequence[str], timeout_s: float, environment: dict[str, str] | None = None
) -> tools.Output:
    with subject.command() as (argv, readable, variables):
        return tools.run(
            [*tool, *argv], kind=subject.sandbox, readable=readable, gpu=True, timeout_s=timeout_s,
            gpu_file=subject.gpu_file, environment=variables | (environment or {}),
        )  # fmt: skip


def counters(subject: Subject) -> dict[str, Metric]:
    """Return Nsight Compute's counters of the candidate's longest kernel. Raises ToolMissingError if unavailable."""
    tool = [
        str(tools.find("ncu")), "--csv", "--page=raw", "--target-processes=all", "--kernel-name-base=demangled",
        f"--metrics={','.join(COLLECTED)}", f"--launch-count={_LAUNCHES}", "--clock-control=none",
    ]  # fmt: skip
    output = _watch(subject, tool, _NCU_TIMEOUT_S)
    if _NOT_ALLOWED in output.text + output.errors:
        raise tools.ToolMissingError(
            "only the administrator of this machine may read GPU counters (ERR_NVGPUCTRPERM): load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0"
        )
    metrics = parse_counters(output.text)
    if not metrics:
        raise tools.ToolMissingError(f"ncu gave no counters: {message_of(output)}")
    return metrics


def parse_counters(text: str) -> dict[str, Metric]:
    """Parse ncu's raw page as CSV: a line of names, one of units, one per launch. The kernel with the most
    cycles counts."""
    start = text.find('"ID"')
    rows = list(csv.reader(io.StringIO(text[start:]))) if start >= 0 else []
    if len(rows) < 3:
        return {}
    names, units, launches = rows[0], rows[1], [row for row in rows[2:] if len(row) == len(rows[0])]
    by_kernel: dict[str, list[list[str]]] = {}
    for row in launches:
        by_kernel.setdefault(row[names.index("Kernel Name")] if "Kernel Name" in names else "", []).append(
            row
        )
    if not by_kernel:
        return {}
    longest = max(by_kernel.values(), key=lambda rows: _mean(rows, names, METRICS[0]) or 0.0)
    means = {name: _mean(longest, names, name) for name in COLLECTED}
    return {
        name: Metric(mean, units[names.index(name)][:40]) for name, mean in means.items() if mean is not None
    }


def _mean(rows: list[list[str]], names: list[str], name: str) -> float | None:
    if name not in names:
        return None
    cells = [row[names.index(name)].replace(",", "") for row in rows]
    numbers = [float(cell) for cell in cells if re.fullmatch(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", cell)]
    mean = sum(numbers) / len(numbers) if numbers else math.nan
    return mean if math.isfinite(mean) else None


def memory_check(subject: Subject) -> Sanitizer:
    """Run compute-sanitizer's memcheck over a few calls. Raises ToolMissingError if unavailable."""
    program = tools.find("compute-sanitizer")
    tool = [
        str(program), "--tool=memcheck", "--report-api-errors=no", "--print-limit=20", "--target-processes=all",
    ]  # fmt: skip
    # One allocation per tensor: inside a caching allocator's block, accesses to the next tensor are no
    # errors.
    output = _watch(subject, tool, _SANITIZER_TIMEOUT_S, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
    summaries = _SUMMARY.findall(output.text)
    if not summaries:
        whole = f" ({launcher_missing(program)})" if launcher_missing(program) else ""
        raise tools.ToolMissingError(f"compute-sanitizer gave no summary{whole}: {message_of(output)}")
    errors = sum(map(int, summaries))
    return Sanitizer(
        "compute-sanitizer memcheck", errors, (output.text + output.errors).strip()[:MAX_LOG_CHARS]
    )


def launcher_missing(program: Path) -> str:
    """Return what to do if an installation cannot start any target, which only shows by a missing file; else empty."""
    folders = (program.parent, program.parent.parent / "compute-sanitizer")
    if any((folder / _LAUNCHER).exists() for folder in folders):
        return ""
    return f"{program.parent} has no {_LAUNCHER}: {tools.INSTALL['compute-sanitizer']}"


def message_of(output: tools.Output) -> str:
    """Return the ends of the output of a tool and its target: either can contain the reason."""
    ends = [text.strip()[-_SAID_CHARS:] for text in (output.errors, output.text) if text.strip()]
    return f"{' | '.join(ends) or 'nothing'} (status {output.status})"


def sanitizer_finding(result: Sanitizer) -> Finding | None:
    """Return a finding for accesses outside the candidate's tensors, if any."""
    if not result.errors:
        return None
    lines = [line.removeprefix("=========").strip() for line in result.log.splitlines()]
    first = next((line for line in lines if line.startswith(("Invalid", "Out-of-range", "Misaligned"))), "")
    where = next((line for line in lines if line.startswith("at ")), "")
    text = f"{result.tool} counts {result.errors} errors in {_CALLS} calls: {first} {where}"
    return Finding("sanitizer_error", Severity.AUDIT, text.strip()[:2000])
