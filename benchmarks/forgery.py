"""Measures how far forged times can push the reported speedup of eager PyTorch over itself, which is 1.

    python -m benchmarks forgery [--device cuda:0|cpu] [--only FORGERY ...] [--tasks TASK ...] [--repeat N]
        [-o RESULT.json]

Every attack of `_forgeries.py` is run on every task of `timing_repeatability`, and on a chain of 15 short kernels. A
forged time fails here if it passes, is not marked `time_unconfirmed`, and is above 1.10 (calls of 20 us and more) or
1.25 (shorter ones; on a CPU all). An honest program fails if a time of 20 us and more is unconfirmed. Needs torch, and
no Django. The exit status is 1 if anything fails.
"""

import argparse
import functools
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._forgeries import FORGERIES, HONEST, ON_GPU_ONLY
from benchmarks._results import write_figures
from benchmarks.timing_repeatability import HEADER, SMALL_MS, TASK, TASKS
from eval_app.engine import PROFILES, Engine, Job, Report

# Kernels whose launches take longer than their work, where a batch of many calls gains most.
CHAIN = functools.reduce(
    lambda inner, n: f"torch.tanh({inner})" if n % 2 else f"{inner} * 0.9", range(15), "x"
)
CHAINS = {"cuda": {"chain_64k": (CHAIN, "65536")}, "cpu": {}}
LIMITS = {"cuda": {"large": 1.10, "small": 1.25}, "cpu": {"large": 1.25, "small": 1.25}}


@dataclass(frozen=True)
class Row:
    """One attack on one task, as the report has it."""

    forgery: str
    task: str
    outcome: str
    speedup: float | None
    confirmed: bool
    orders_speedup: float | None
    candidate_ms: float | None
    detail: str
    kind: str
    seconds: float

    @property
    def is_small(self) -> bool:
        return self.candidate_ms is not None and self.candidate_ms < SMALL_MS

    @property
    def fault(self) -> str:
        """Return why this row fails; empty if it does not."""
        if self.forgery == HONEST:
            if self.outcome != "passed":
                return f"refused: {self.outcome}"
            return "" if self.confirmed or self.is_small else "unconfirmed"
        if self.outcome != "passed" or not self.confirmed:
            return ""
        limit = LIMITS[self.kind]["small" if self.is_small else "large"]
        return f"above {limit:.2f}" if self.speedup is not None and self.speedup > limit else ""


def row_of(forgery: str, task: str, report: Report, kind: str, seconds: float) -> Row:
    timing = report.timing
    orders = timing.orders if timing else None
    return Row(
        forgery,
        task,
        str(report.outcome.value),
        timing.speedup.median if timing else None,
        bool(timing and timing.confirmed_by),
        orders.reference_ms / orders.candidate_ms if orders else None,
        timing.candidate.median_ms if timing else None,
        (timing.unconfirmed if timing else "") or report.detail,
        kind,
        round(seconds, 2),
    )


def run(given: argparse.Namespace, facts: dict[str, Any]) -> Iterator[Row]:
    """Yield one row per attack, task and repetition; store the machine's facts."""
    with tempfile.TemporaryDirectory() as cache, Engine(given.device, cache) as engine:
        kind = engine.device.kind
        facts |= engine.describe()
        profile = replace(PROFILES["quick"], name="forgery", baselines=[], trace=False)
        tasks = TASKS[kind] | CHAINS[kind]
        for task in given.tasks or tasks:
            expression, shape = tasks[task]
            reference = HEADER + TASK.format(name="Model", expression=expression, shape=shape)
            for name in given.only or FORGERIES:
                if kind == "cpu" and name in ON_GPU_ONLY:
                    continue
                for _ in range(given.repeat):
                    program = FORGERIES[name].source(expression)
                    started = time.perf_counter()
                    report = engine.verify(Job(task, reference, program, profile=profile))
                    yield row_of(name, task, report, kind, time.perf_counter() - started)


def line(row: Row) -> str:
    """Return a row for a person."""
    both = (row.speedup, row.orders_speedup)
    figures = " ".join("      –" if value is None else f"{value:7.2f}" for value in both)
    state = "confirmed" if row.confirmed else "unconfirmed" if row.speedup is not None else ""
    return f"{row.task:<17} {row.forgery:<48} {row.outcome:<14} {figures}  {state:<11} {row.fault or 'held'}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", nargs="*", choices=list(FORGERIES), default=[])
    parser.add_argument("--tasks", nargs="*", default=[])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    facts: dict[str, Any] = {}
    rows = []
    print(f"{'task':<17} {'forgery':<48} {'outcome':<14} speedup  orders")
    for row in run(given, facts):
        rows.append(row)
        print(line(row), flush=True)
        if row.fault:
            print(f"    {row.detail[:400]}")
    forged = [row for row in rows if row.forgery != HONEST and row.outcome == "passed" and row.confirmed]
    highest = {
        size: max((row.speedup or 0 for row in forged if row.is_small is (size == "small")), default=None)
        for size in ("large", "small")
    }
    result = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": {key: value for key, value in facts["device"].items() if key != "uuid"},
        "versions": facts["versions"],
        "limit": LIMITS[facts["device"]["kind"]], "small_below_ms": SMALL_MS, "highest_confirmed": highest,
        "faults": sum(bool(row.fault) for row in rows),
        "rows": [asdict(row) | {"fault": row.fault} for row in rows],
    }  # fmt: skip
    print(f"highest confirmed speedup of a forgery: {highest}; {result['faults']} of {len(rows)} rows fail")
    write_figures(result, given.output or f"forgery-{facts['device']['kind']}")
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
