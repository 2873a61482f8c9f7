"""Measures what affects the time of a kernel of a few microseconds: its tensors' addresses and its process.

    python -m benchmarks placement [--processes 4] [--calls 240] [-o RESULT.json]

Explains the A/A figures of small kernels. One process after another times the same call as the engine does (a
wait that hides launches, a flush of twice the L2 cache, two events): unchanged; with the input copied in
front of it; with the output copied behind it; with the input in 16 other places; with the output in 16 other
places. Figures are microseconds, the mean of the middle half of the calls. Needs torch and a GPU, and no
Django.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._results import write_figures

TASKS = {"relu_64k": ("relu", (65536,)), "softmax_1m": ("softmax", (1024, 1024))}
PLACES = 16
PLACE_BYTES = 4 * 2**20

Call = Callable[..., Any]


def measured_us(function: Call, inputs: list[Any], calls: int, before: Call | None, take: Call) -> float:
    """Return the mean of the middle half of `calls` timings, cycling through the inputs."""
    import torch

    from eval_app.engine.judge.clock.statistics import middle
    from eval_app.engine.shared.calls import Caller

    caller = Caller(torch.device("cuda"))
    timings_us = []
    for number in range(calls + 20):
        torch.cuda.synchronize()
        action = {"before": before} if before else {}
        timed = caller.call(function, [inputs[number % len(inputs)]], take=take, **action)
        timings_us.append(timed.ms * 1e3)
    return round(middle(timings_us[20:]), 3)


def measure(task: str, calls: int) -> dict[str, Any]:
    """Measure all variations of one task, in this process."""
    import torch

    name, shape = TASKS[task]
    function = torch.relu if name == "relu" else lambda x: torch.softmax(x, -1)
    source = torch.randn(shape, device="cuda")
    size = source.numel() * source.element_size()
    room = torch.empty(PLACES * PLACE_BYTES + size, dtype=torch.uint8, device="cuda")
    places = [
        room[n * PLACE_BYTES : n * PLACE_BYTES + size].view(torch.float32).view(shape).copy_(source)
        for n in range(PLACES)
    ]
    given, taken = source.clone(), torch.empty_like(source)

    def timed(
        inputs: list[Any], count: int, before: Call | None = None, take: Call = lambda _: None
    ) -> float:
        return measured_us(function, inputs, count, before, take)

    with torch.no_grad():
        timings = {
            "plain": timed([given], calls),
            "input_copied_in_front": timed([given], calls, lambda: given.copy_(source)),
            "output_copied_behind": timed([given], calls, take=taken.copy_),
            "input_in_turns": timed(places, calls),
            "input_places": [timed([place], calls // 4) for place in places],
            "output_places": [],
        }
        held = []
        for _ in range(PLACES):
            held += [torch.empty(2**21 + size, dtype=torch.uint8, device="cuda"), function(given)]
            timings["output_places"].append(timed([given], calls // 4))
        return timings | {"plain_again": timed([given], calls)}


def in_processes(processes: int, calls: int) -> dict[str, list[dict[str, Any]]]:
    """Return, by task, the result of each fresh process."""
    runs: dict[str, list[dict[str, Any]]] = {task: [] for task in TASKS}
    for _ in range(processes):
        for task in TASKS:
            argv = [sys.executable, "-m", "benchmarks", "placement", "--inside", task, "--calls", str(calls)]
            done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
            if done.returncode:
                raise SystemExit(f"{task} failed: {done.stderr[-1500:]}")
            runs[task].append(json.loads(done.stdout.splitlines()[-1]))
            print(task, runs[task][-1], file=sys.stderr, flush=True)
    return runs


def summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return how much each variation affects the time, as a share: largest over smallest, less one."""

    def spread(values: list[float]) -> float:
        return round(max(values) / min(values) - 1, 4)

    return {
        "plain_us": rows[0]["plain"],
        "between_processes": spread([row["plain"] for row in rows]),
        "copy_in_front": max(spread([row["plain"], row["input_copied_in_front"]]) for row in rows),
        "copy_behind": max(spread([row["plain"], row["output_copied_behind"]]) for row in rows),
        "between_places_of_the_input": max(spread(row["input_places"]) for row in rows),
        "between_places_of_the_output": max(spread(row["output_places"]) for row in rows),
    }


def main() -> int:
    """Measure, print the shares, write the JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--calls", type=int, default=240)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(options.inside, options.calls)))
        return 0
    runs = in_processes(options.processes, options.calls)
    import torch

    result = {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"), "calls": options.calls,
        "device": torch.cuda.get_device_name(), "torch": torch.__version__,
        "shares": {task: summary(rows) for task, rows in runs.items()}, "processes": runs,
    }  # fmt: skip
    print(json.dumps(result["shares"], indent=1))
    write_figures(result, options.output or "placement")
    return 0


if __name__ == "__main__":
    sys.exit(main())
