"""Differences prepared for a page: of texts of bounded length, one window of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from datasets_app.browse.panes.coloured import painter
from datasets_app.browse.panes.parts import shortened
from datasets_app.syntax.diff import Diff, Hunk, Row, compare
from datasets_app.syntax.diff_functions import Aligned, Moved, compare_functions
from datasets_app.syntax.diff_instructions import compare_instructions
from datasets_app.syntax.kernel import read_kernel
from datasets_app.syntax.operator_map import Mapped, operator_map
from datasets_app.syntax.sass import comparable, is_listing

COMPARED_LINES, COMPARED_CHARS = 30_000, 1_000_000  # of each text
WINDOW_ROWS, WINDOW_CHARS = 5_000, 400_000


@dataclass(frozen=True)
class Compared:
    """Rows from number `first` on; `next` is the first row of the following window, 0 if there is none."""

    diff: Aligned
    rows: int
    first: int = 1
    next: int = 0
    gaps: tuple[str, ...] = ()

    @property
    def rest(self) -> Diff:
        return self.diff.rest

    @property
    def moved(self) -> list[Moved]:
        return self.diff.moved

    @property
    def hunks(self) -> list[Hunk]:
        return self.diff.rest.hunks

    @property
    def reordered(self) -> int:
        return self.diff.rest.reordered

    @property
    def same(self) -> bool:
        return self.diff.same

    @property
    def added(self) -> int:
        return self.diff.added

    @property
    def removed(self) -> int:
        return self.diff.removed


@dataclass(frozen=True)
class OperatorMap:
    rows: list[Mapped]
    defines_nothing: bool = False  # the kernel's text has no class and no function, such as the word None

    @property
    def located(self) -> int:
        return sum(row.is_located for row in self.rows)


def compared(
    left: str, right: str, ignore_space: bool, by_functions: bool, first: int, coloured: bool = False
) -> Compared:
    """Compare programs by their functions, listings of SASS by their instructions, traces by their lines; colour the
    tokens of programs."""
    if is_listing(left) and is_listing(right):
        return compared_machine_code(left, right, first, coloured)
    texts, gaps = [], []
    for text in (left, right):
        text, cut = shortened(beginning(text.replace("\r\n", "\n")))
        texts.append(text)
        if cut:
            gaps.append("Lines longer than 8,000 characters are truncated before they are compared.")
    if len(beginning(left)) < len(left) or len(beginning(right)) < len(right):
        gaps.append(
            f"Only the first {COMPARED_LINES:,} lines and {COMPARED_CHARS:,} characters of each text are compared."
        )
    if by_functions:
        aligned = compare_functions(*texts, ignore_space=ignore_space)
    else:
        aligned = Aligned(compare(*texts, ignore_space=ignore_space), [])
    window = windowed(aligned, first, tuple(dict.fromkeys(gaps)))
    return in_colours(window, *texts) if coloured else window


def compared_machine_code(left: str, right: str, first: int, coloured: bool = False) -> Compared:
    """Compare two listings by their instructions, addresses and encodings left out."""
    texts = [shortened(beginning(comparable(text.replace("\r\n", "\n"))))[0] for text in (left, right)]
    window = windowed(Aligned(compare_instructions(*texts), []), first, ())
    return in_colours(window, *texts) if coloured else window


def in_colours(window: Compared, left: str, right: str) -> Compared:
    """Return the window with the tokens of its rows coloured; rows outside of it are not."""
    paint = painter(left, right)

    def painted(diff: Diff) -> Diff:
        return replace(diff, hunks=[paint(hunk) for hunk in diff.hunks])

    moved = [replace(pair, diff=painted(pair.diff)) for pair in window.moved]
    return replace(window, diff=Aligned(painted(window.rest), moved))


def beginning(text: str) -> str:
    text = text[:COMPARED_CHARS]
    if text.count("\n") <= COMPARED_LINES:
        return text
    return "\n".join(text.split("\n", COMPARED_LINES)[:COMPARED_LINES])


def windowed(aligned: Aligned, first: int, gaps: tuple[str, ...]) -> Compared:
    """Return the rows of a window; counts are of the whole. The rows of moved functions are numbered after the
    others.
    """
    take = Window(first)
    rest = replace(aligned.rest, hunks=list(take.of(aligned.rest.hunks)))
    moved = [
        Moved(pair.name, pair.left, pair.right, replace(pair.diff, hunks=list(take.of(pair.diff.hunks))))
        for pair in aligned.moved
    ]
    shown = [pair for pair in moved if pair.diff.hunks or pair.diff.same]
    follows = take.end if take.end <= take.at else 0
    return Compared(Aligned(rest, shown), take.at - 1, first, follows, gaps)


class Window:
    """Takes rows from number `first` on, up to WINDOW_ROWS or WINDOW_CHARS."""

    def __init__(self, first: int) -> None:
        self.first, self.at, self.taken, self.chars = first, 1, 0, 0
        self.end = 1 << 62  # the first row after the window

    def of(self, hunks: list[Hunk]) -> Iterator[Hunk]:
        for hunk in hunks:
            rows = [row for row in hunk.rows if self.takes(row)]
            if rows:
                yield Hunk(rows, hunk.folded)

    def takes(self, row: Row) -> bool:
        number, self.at = self.at, self.at + 1
        if number < self.first or number >= self.end:
            return False
        self.taken += 1
        self.chars += sum(len(part[1]) for part in (*row.left_parts, *row.right_parts))
        if self.taken >= WINDOW_ROWS or self.chars >= WINDOW_CHARS:
            self.end = number + 1
        return True


def mapped(reference: str, candidate: str) -> OperatorMap:
    """Return the reference's operators beside the code that replaces them."""
    rows = operator_map(reference, candidate)
    return OperatorMap(rows, not read_kernel(candidate).functions)
