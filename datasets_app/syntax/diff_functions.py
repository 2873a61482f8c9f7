"""Compares programs by functions: a function that moved is compared with itself instead of shown as removed and
added.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from datasets_app.syntax.diff import Diff, Hunk, Row, compare, lines_of, longest_rising
from datasets_app.syntax.kernel import Function, read_kernel

SHORTEST_LINES = 3
MOST_MOVED = 200


@dataclass(frozen=True)
class Moved:
    """A function at another place on the other side, with its changes."""

    name: str
    left: int
    right: int
    diff: Diff


@dataclass(frozen=True)
class Aligned:
    """The difference of what did not move, and of each function that moved."""

    rest: Diff
    moved: list[Moved]

    @property
    def added(self) -> int:
        return self.rest.added + sum(pair.diff.added for pair in self.moved)

    @property
    def removed(self) -> int:
        return self.rest.removed + sum(pair.diff.removed for pair in self.moved)

    @property
    def same(self) -> bool:
        return self.rest.same and not self.moved


def compare_functions(left: str, right: str, *, ignore_space: bool = False) -> Aligned:
    """Return the difference of two programs. Line numbers are those of the whole texts."""
    pairs = moved_pairs(blocks(left), blocks(right))[:MOST_MOVED]
    a, b = lines_of(left), lines_of(right)
    moved = [compare_moved(a, b, before, after, ignore_space) for before, after in pairs]
    left_lines = lines_outside(len(a), [pair[0] for pair in pairs])
    right_lines = lines_outside(len(b), [pair[1] for pair in pairs])
    rest = renumbered(a, b, left_lines, right_lines, ignore_space)
    return Aligned(rest, moved)


def compare_moved(a: list[str], b: list[str], before: Function, after: Function, ignore_space: bool) -> Moved:
    left, right = range(before.line, before.end_line + 1), range(after.line, after.end_line + 1)
    return Moved(before.name, before.line, after.line, renumbered(a, b, left, right, ignore_space))


def blocks(text: str) -> list[Function]:
    """Return the outermost functions, each name once."""
    functions: list[Function] = []
    for function in sorted(read_kernel(text).functions, key=lambda f: (f.line, -f.end_line)):
        outside = not functions or function.line > functions[-1].end_line
        if outside and function.end_line - function.line + 1 >= SHORTEST_LINES:
            functions.append(function)
    names = Counter(function.name for function in functions)
    return [function for function in functions if names[function.name] == 1]


def moved_pairs(left: list[Function], right: list[Function]) -> list[tuple[Function, Function]]:
    """Return the functions of both sides that are not in the order of most others."""
    there = {function.name: at for at, function in enumerate(right)}
    common = [(at, there[function.name]) for at, function in enumerate(left) if function.name in there]
    steady = set(longest_rising(common))
    return [(left[a], right[b]) for a, b in common if (a, b) not in steady]


def lines_outside(count: int, cut: list[Function]) -> list[int]:
    """Return the line numbers outside of the given functions."""
    gone = {line for function in cut for line in range(function.line, function.end_line + 1)}
    return [line for line in range(1, count + 1) if line not in gone]


def renumbered(
    a: list[str], b: list[str], left: Sequence[int], right: Sequence[int], ignore_space: bool
) -> Diff:
    """Return the difference of some lines of either side, with their numbers in the whole text."""
    diff = compare(picked(a, left), picked(b, right), ignore_space=ignore_space)
    hunks = [Hunk(list(numbered(hunk.rows, left, right)), hunk.folded) for hunk in diff.hunks]
    return replace(diff, hunks=hunks)


def picked(lines: list[str], numbers: Sequence[int]) -> str:
    return "\n".join(lines[number - 1] for number in numbers if number <= len(lines))


def numbered(rows: list[Row], left: Sequence[int], right: Sequence[int]) -> Iterator[Row]:
    for row in rows:
        yield replace(
            row,
            left=left[row.left - 1] if row.left else 0,
            right=right[row.right - 1] if row.right else 0,
        )
