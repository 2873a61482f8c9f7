"""Measures how well times repeat: the engine's, do_bench's and plain event timing's, on the same kernels.

    python -m benchmarks timing_repeatability [--device cuda:0|cpu] [--repeats 20] [--workers 5] [--only TASK ...]
        [-o RESULT.json]

A/A: a program against itself must give 1.00; the table has the worst and the median distance from it over all
repeats. Workers: the same kernel in fresh processes (a fresh engine each), the largest median over the
smallest. The aim is 1 % for kernels of 20 us and more, 2 % for smaller ones, 2 % between workers. Needs
torch, and no Django. On a CPU, torch.utils.benchmark replaces do_bench.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._results import write_figures

HEADER = "import torch\nimport torch.nn.functional as F\n"
TASK = """
class {name}(torch.nn.Module):
    def forward(self, x):
        return {expression}

def get_inputs():
    return [torch.randn({shape})]

def get_init_inputs():
    return []
"""
# name, expression, shape: from a launch alone to milliseconds.
TASKS = {
    "cuda": {
        "relu_64k": ("torch.relu(x)", "65536"),
        "softmax_1m": ("torch.softmax(x, -1)", "1024, 1024"),
        "relu_16m": ("torch.relu(x)", "4096, 4096"),
        "layernorm_32m": ("F.layer_norm(x, (4096,))", "8192, 4096"),
        "gelu_by_hand_16m": ("0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x ** 3)))", "4096, 4096"),
        "matmul_2k": ("x @ x.t()", "2048, 2048"),
    },
    "cpu": {
        "relu_16k": ("torch.relu(x)", "16384"),
        "softmax_256k": ("torch.softmax(x, -1)", "256, 1024"),
        "relu_4m": ("torch.relu(x)", "2048, 2048"),
        "matmul_512": ("x @ x.t()", "512, 512"),
    },
}  # fmt: skip
SMALL_MS = 0.02
AIM = {"large": 0.01, "small": 0.02, "workers": 0.02}
PLAIN_CALLS = 100


def chosen(kind: str, only: list[str]) -> list[str]:
    """Return the tasks for one kind of device; with `only`, just those."""
    return [task for task in TASKS[kind] if not only or task in only]


def source(kind: str, task: str, name: str) -> str:
    expression, shape = TASKS[kind][task]
    return HEADER + TASK.format(name=name, expression=expression, shape=shape)


# --- the engine's own ---


def engine_profile() -> Any:
    """Return the profile `standard` with its timing unchanged and the minimum of everything else."""
    from eval_app.engine import PROFILES

    return replace(
        PROFILES["standard"], name="repeatability", trials=1, repeats=1, families=[], admission=False, reweigh=False,
        baselines=[], trace=False, calibrate=False, shapes=0, timing_budget_s=2.0,
    )  # fmt: skip


def measure_with_engine(engine: Any, kind: str, task: str) -> Any:
    """Return one report of a program against itself, in freshly forked processes."""
    from eval_app.engine import Job, Outcome

    job = Job(task, source(kind, task, "Model"), source(kind, task, "ModelNew"), profile=engine_profile())
    report = engine.verify(job)
    if report.outcome is not Outcome.PASSED or report.timing is None:
        raise SystemExit(f"{task}: {report.outcome}: {report.detail}")
    return report.timing


def with_engine(
    device: str, sandbox: str, repeats: int, workers: int, only: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return, by task, ratios, times and medians by worker; and the description of the machine."""
    from eval_app.engine import Engine

    by_task: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as cache:
        for worker in range(workers):
            with Engine(device, cache, sandbox=sandbox) as engine:
                facts = facts or engine.describe()
                for task in chosen(engine.device.kind, only):
                    row = by_task.setdefault(task, {"ratios": [], "times_ms": [], "workers_ms": []})
                    for repeat in range(repeats if worker == 0 else 1):
                        timing = measure_with_engine(engine, engine.device.kind, task)
                        row["ratios"].append(timing.speedup.median)
                        row["times_ms"].append(timing.candidate.median_ms)
                        if repeat == 0:
                            row["workers_ms"].append(timing.candidate.median_ms)
                    say(f"engine, worker {worker + 1} of {workers}: {task}")
    return by_task, facts


# --- the others, in their own process ---


def plain_events(call: Callable[[], Any]) -> float:
    """Return the mean of a loop between two events: no flush, same values, launches hidden by the queue."""
    import torch

    for _ in range(10):
        call()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    begin.record()
    for _ in range(PLAIN_CALLS):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / PLAIN_CALLS


def plain_clock(call: Callable[[], Any]) -> float:
    """Return the mean of a loop by the monotonic clock, in milliseconds."""
    for _ in range(10):
        call()
    started = time.perf_counter()
    for _ in range(PLAIN_CALLS):
        call()
    return (time.perf_counter() - started) * 1e3 / PLAIN_CALLS


def blocked_autorange(call: Callable[[], Any]) -> float:
    """Return torch.utils.benchmark's median, in milliseconds."""
    from torch.utils import benchmark

    return benchmark.Timer("call()", globals={"call": call}).blocked_autorange(min_run_time=0.2).median * 1e3


def do_bench(call: Callable[[], Any]) -> float:
    """Return the median of Triton's do_bench with its defaults, in milliseconds."""
    from triton.testing import do_bench as bench

    return float(bench(call, return_mode="median"))


METHODS: dict[str, dict[str, Callable[[Callable[[], Any]], float]]] = {
    "cuda": {"do_bench": do_bench, "plain_events": plain_events},
    "cpu": {"blocked_autorange": blocked_autorange, "plain_loop": plain_clock},
}


def measure_others(kind: str, repeats: int, only: list[str]) -> dict[str, Any]:
    """Return, per method and task, ratios of two consecutive measurements, and the first of each."""
    import torch

    torch.set_num_threads(1)
    by_method: dict[str, Any] = {name: {} for name in METHODS[kind]}
    with torch.no_grad():
        for task in chosen(kind, only):
            names: dict[str, Any] = {}
            exec(compile(source(kind, task, "Model"), task, "exec"), names)
            call = functools.partial(names["Model"](), *[tensor.to(kind) for tensor in names["get_inputs"]()])
            for name, method in METHODS[kind].items():
                pairs = [(method(call), method(call)) for _ in range(repeats)]
                by_method[name][task] = {
                    "ratios": [a / b for a, b in pairs],
                    "times_ms": [b for _, b in pairs],
                }
    return by_method


def with_others(kind: str, repeats: int, workers: int, only: list[str]) -> dict[str, Any]:
    """Repeat the measurement in fresh processes; omit a method that is not installed, with the reason."""
    by_method: dict[str, Any] = {}
    for worker in range(workers):
        argv = [
            *(sys.executable, "-m", "benchmarks", "timing_repeatability", "--inside", kind),
            *(str(repeats if worker == 0 else 1), *only),
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"the other methods failed: {done.stderr[-1500:]}")
        for name, tasks in json.loads(done.stdout.splitlines()[-1]).items():
            for task, seen in tasks.items():
                row = by_method.setdefault(name, {}).setdefault(
                    task, {"ratios": [], "times_ms": [], "workers_ms": []}
                )
                row["ratios"] += seen["ratios"] if worker == 0 else []
                row["times_ms"] += seen["times_ms"]
                row["workers_ms"].append(seen["times_ms"][0])
        say(f"others, worker {worker + 1} of {workers}")
    return by_method


# --- figures ---


def figures(row: dict[str, list[float]]) -> dict[str, float]:
    """Return distances from 1.00 and between workers, as shares."""
    off = [abs(ratio - 1) for ratio in row["ratios"]]
    return {
        "median_ms": statistics.median(row["times_ms"]), "aa_worst": max(off), "aa_median": statistics.median(off),
        "aa_beyond_1_percent": sum(distance > 0.01 for distance in off) / len(off),
        "workers": max(row["workers_ms"]) / min(row["workers_ms"]) - 1,
    }  # fmt: skip


def meets(row: dict[str, float]) -> bool:
    """Return whether one row is within the aim."""
    size = "small" if row["median_ms"] < SMALL_MS else "large"
    return row["aa_worst"] <= AIM[size] and row["workers"] <= AIM["workers"]


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Format the results as a table."""
    lines = [
        f"{'task':<18} {'method':<18} {'median us':>10} {'A/A worst':>10} {'A/A median':>11} {'workers':>8}  aim"
    ]
    tasks = next(iter(results.values()))
    for task in tasks:
        for method, rows in results.items():
            row = rows[task]
            shares = f"{row['aa_worst']:>9.2%} {row['aa_median']:>11.2%} {row['workers']:>8.2%}"
            met = "met" if meets(row) else "missed"
            lines.append(f"{task:<18} {method:<18} {row['median_ms'] * 1e3:>10.2f}  {shares}  {met}")
    return "\n".join(lines)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--workers", type=int, default=5)
    parser.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap")
    parser.add_argument("--only", nargs="*", default=[], help="these tasks alone")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


def main() -> int:
    """Measure, print the table, write the JSON."""
    given = options()
    raw, machine = with_engine(given.device, given.sandbox, given.repeats, given.workers, given.only)
    kind = str(machine["device"]["kind"])
    raws = {"engine": raw, **with_others(kind, given.repeats, given.workers, given.only)}
    results = {method: {task: figures(row) for task, row in rows.items()} for method, rows in raws.items()}
    print(table(results))
    result = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"), "repeats": given.repeats, "workers": given.workers,
        "device": {k: v for k, v in machine["device"].items() if k != "uuid"}, "versions": machine["versions"],
        "aim": AIM, "small_below_ms": SMALL_MS, "met": all(meets(row) for row in results["engine"].values()),
        "figures": results, "raw": raws,
    }  # fmt: skip
    output = write_figures(result, given.output or f"timing_repeatability-{kind}")
    say(f"written to {output}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(measure_others(sys.argv[2], int(sys.argv[3]), sys.argv[4:])))
        sys.exit(0)
    sys.exit(main())
