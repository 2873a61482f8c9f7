"""The entries of the corpus that are texts: programs, traces and kernels of a stored sample."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Column = Literal["program", "trace", "kernel"]
LARGEST_BYTES = 2 * 2**20  # the largest text that an ingest accepts


@dataclass(frozen=True)
class HostileText:
    """`make` returns the text of `column`; `name` identifies the attack."""

    name: str
    column: Column
    make: Callable[[], str]

    def __str__(self) -> str:
        return f"{self.column}-{self.name}"


ENTRIES: list[HostileText] = []


def hostile(column: Column) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register the function under its name."""

    def register(make: Callable[[], str]) -> Callable[[], str]:
        ENTRIES.append(HostileText(make.__name__, column, make))
        return make

    return register


def filled(unit: str, size: int) -> str:
    """Return `unit` repeated up to `size` bytes."""
    return unit * (size // len(unit.encode()))


def whole_corpus() -> list[HostileText]:
    """Return all entries, in the order of the files."""
    from tests.hostile import kernels, kernels_for_lexers, programs, traces  # noqa: F401  they register themselves

    return ENTRIES
