"""A progress bar on standard error, if that is a terminal and the extra `progress` is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int], None]  # takes the bytes that were added; negative: they are fetched again


def silent(added_bytes: int) -> None:
    """Report nothing."""


@contextmanager
def progress_bar(title: str, total_bytes: int, *, wanted: bool = True) -> Iterator[Report]:
    """Show a bar during the block; the block reports to what is yielded, from any thread."""
    if not wanted or not sys.stderr.isatty():
        yield silent
        return
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        yield silent
        return
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as shown:
        task = shown.add_task(title, total=total_bytes)
        yield lambda added_bytes: shown.advance(task, added_bytes)
