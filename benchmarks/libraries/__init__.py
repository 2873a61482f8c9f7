"""Compares libraries with the project's own code, on the project's own work: the figures of docs/decisions/.

The libraries are not installed with the project. Each script names those that it needs:

    .venv/bin/python -m pip install --target /tmp/libraries pyroaring
    PYTHONPATH=/tmp/libraries .venv/bin/python -m benchmarks.libraries.bit_sets
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

ROUNDS = 5
IMPORT = """
import time
resident = lambda: int(open("/proc/self/statm").read().split()[1]) / 256
memory, begun = resident(), time.process_time()
import {module}
print(time.process_time() - begun, resident() - memory)
"""


def set_up_django() -> None:
    """Load the applications for scripts that need no database and no data folder."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "concur_site.settings", "CONCUR_SECRET_KEY": "of a benchmark"}
    import django

    django.setup()


def compare(work: dict[str, Callable[[], object]], clock: Callable[[], float] = time.process_time) -> None:
    """Run each function in rotation, ROUNDS times; print median times, and ratios to the first one's."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, function in work.items():
            begun = clock()
            function()
            seconds[name].append(clock() - begun)
    first = next(iter(seconds.values()))
    for name, measured in seconds.items():
        ratios = sorted(value / base for value, base in zip(measured, first, strict=True))
        spread = f"{statistics.median(ratios):7.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(f"  {name:<44} {1000 * statistics.median(measured):10.2f} ms  ratio {spread}")


def import_cost(*modules: str) -> None:
    """Print the cost of an import in a fresh interpreter: processor time and memory, the median of ROUNDS."""
    for module in modules:
        command = [sys.executable, "-c", IMPORT.format(module=module)]
        outputs = [
            subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(ROUNDS)
        ]
        seconds, megabytes = (
            statistics.median(column) for column in zip(*map(figures, outputs), strict=True)
        )
        print(f"  import {module:<37} {1000 * seconds:10.0f} ms  {megabytes:7.1f} MB")


def figures(output: str) -> tuple[float, float]:
    seconds, megabytes = output.split()
    return float(seconds), float(megabytes)
