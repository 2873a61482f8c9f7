"""Where a benchmark's figures go: a JSON file, one form for all of them."""

import argparse
import json
import os
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks._database import circumstances, open_database

FOLDER = Path(__file__).resolve().parent / "results"


def write_figures(figures: dict[str, Any], place: str | Path, indent: int | None = 1) -> Path:
    """Write figures to a file: `place` is its path, or its name among the results. Return the path."""
    path = place if isinstance(place, Path) else FOLDER / f"{place}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=indent) + "\n", encoding="utf-8")
    return path


def record_on_database(
    given: argparse.Namespace,
    name: str,
    measure: Callable[[argparse.Namespace], dict[str, Any]],
    unprinted: Collection[str] = (),
) -> None:
    """Measure on a database of this run, print the figures, and write them unless `--no-write` is given."""
    with ExitStack() as stack:
        open_database(given, stack)
        figures = circumstances(given) | {"load_average_before": os.getloadavg()[0]} | measure(given)
    print(json.dumps({key: value for key, value in figures.items() if key not in unprinted}, indent=1))
    if not given.no_write:
        write_figures(figures, name, indent=None if unprinted else 1)
