"""Compares calls in a child process with a deadline: datasets_app.bounded and pebble's ProcessPool."""

import multiprocessing
import os
import time
from collections.abc import Callable
from typing import Any

from benchmarks.libraries import _text_functions as functions
from benchmarks.libraries import compare, import_cost, set_up_django

CALLS = 300
TRAP = "a" * 40
Call = Callable[..., Any]


def fate(call: Call, function: Call) -> str:
    begun = time.perf_counter()
    try:
        answer = repr(call(function, TRAP, seconds=1.0))
    except Exception as error:
        answer = f"{type(error).__name__}: {error}".replace("\n", " ")
    return f"{answer[:100]} after {time.perf_counter() - begun:.2f} s"


def by_pebble() -> tuple[Any, Call]:
    from pebble import ProcessPool

    pool = ProcessPool(max_workers=2, context=multiprocessing.get_context("spawn"))
    return pool, lambda function, text, seconds: pool.schedule(
        function, args=(text,), timeout=seconds
    ).result()


def by_ours() -> Call:
    set_up_django()
    from datasets_app.bounded import analysed

    options = {"patience": 20.0, "cached": False}
    return lambda function, text, seconds: analysed(function, text, seconds=seconds, **options)


def recovery(call: Call) -> float:
    """Return the seconds from a missed deadline of 1 s to the next answer."""
    begun = time.perf_counter()
    fate(call, functions.backtrack)
    call(functions.length, "x", seconds=20.0)
    return time.perf_counter() - begun - 1.0


def main() -> None:
    os.environ["CONCUR_SECRET_KEY"] = "a secret of the site"
    pool, theirs = by_pebble()
    calls = {"ours": by_ours(), "pebble": theirs}
    for call in calls.values():
        call(functions.length, TRAP, seconds=20.0)
    text = "x" * 12_000
    work = {
        name: lambda call=call: [call(functions.length, text, seconds=5.0) for _ in range(CALLS)]
        for name, call in calls.items()
    }
    compare(work, clock=time.perf_counter)
    for name, call in calls.items():
        seconds = sorted(recovery(call) for _ in range(5))
        spread = f"{seconds[2]:.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f})"
        print(f"  {name}: next answer after a deadline: {spread}")
        for function in (functions.backtrack, functions.secret, functions.allocate, functions.forge):
            print(f"  {name}: {function.__name__}: {fate(call, function)}")
    pool.stop()
    pool.join()
    import_cost("pebble")


if __name__ == "__main__":
    main()
