"""Measures how long the recipe composer waits for its funnel, and how close an estimate is to exact counts.

    python -m benchmarks preview_speed --rows 1000000 --text-kb 1 --plain --folder KEPT

Prints wall and processor seconds of this process for the built-in recipes and for a recipe of each kind of
rule, in a store filled as by `browse_speed`; with --exact, also the whole store's counts beside the estimate.
"""

import argparse
import time
from contextlib import ExitStack
from typing import Any

from benchmarks._database import add_database, filled, open_database

TARGET_SECONDS = 2.0
RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_database(parser)
    parser.add_argument("--plain", action="store_true", help="fill by plain INSERTs")
    parser.add_argument("--exact", action="store_true", help="count exactly as well")
    given = parser.parse_args()
    with ExitStack() as stack:
        open_database(given, stack)
        filled(given)
        for name, definition in recipes().items():
            report(name, definition, given.exact)


def recipes() -> dict[str, Any]:
    from datasets_app.curate.builtin import BUILTIN
    from datasets_app.curate.definition import parse

    own = {
        "no rule": [],
        "has trace, 1,000 by lot": [{"rule": "has_trace"}, {"rule": "random_sample", "rows": 1000}],
        "best of each task": [{"rule": "best_per_task"}],
    }
    built_in = {name: parse(recipe["definition"]) for name, recipe in BUILTIN.items()}
    return {**built_in, **{name: parse({"rules": rules}) for name, rules in own.items()}}


def report(name: str, definition: Any, wants_exact: bool) -> None:
    from datasets_app.curate.preview import exact, preview

    runs = [timed(lambda: preview(definition)) for _ in range(RUNS)]
    result = runs[-1][0]
    wall, worked = (sorted(run[at] for run in runs)[RUNS // 2] for at in (1, 2))
    met = "met" if wall < TARGET_SECONDS else "NOT MET"
    print(f"{name}: {wall:.2f} s, {worked:.2f} s of work ({met}); {result.seen:,} of {result.total:,} rows")
    print("   kept:", [step["rows_out"] for step in result.steps()])
    if wants_exact:
        whole, seconds, _ = timed(lambda: exact(definition, result.total))
        print(f"  exact: {[step['rows_out'] for step in whole.steps()]} in {seconds:.1f} s", flush=True)


def timed(work: Any) -> tuple[Any, float, float]:
    begun, work_begun = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - begun, time.process_time() - work_begun


if __name__ == "__main__":
    main()
