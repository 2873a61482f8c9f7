"""Spans of a text: cut into runs at every boundary, and converted between offsets and lines.

Offsets count Unicode code points from 0; lines and columns count from 1, and lines end at \\n only, as in the panes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """The characters from `start` up to, not including, `end`. `key` names its owner, such as a note."""

    start: int
    end: int
    key: str


class Run(NamedTuple):
    """Adjacent characters that the same spans cover; `keys` in the order in which the spans begin, longest first."""

    start: int
    end: int
    keys: tuple[str, ...]


def cut(start: int, end: int, spans: Iterable[Span]) -> list[Run]:
    """Cut the characters from `start` to `end` into runs at every boundary of a span; joined, they are all of them.

    Spans may nest, overlap, repeat, be empty and reach beyond the ends. Neighbouring runs differ in their keys.
    """
    within = [
        Span(max(start, span.start), min(end, span.end), span.key)
        for span in sorted(spans, key=opening_order)
    ]
    within = [span for span in within if span.start < span.end]
    opened: dict[int, list[Span]] = {}
    for span in within:
        opened.setdefault(span.start, []).append(span)
    bounds = sorted({start, end, *(span.start for span in within), *(span.end for span in within)})
    runs: list[Run] = []
    covering: list[Span] = []
    for first, last in pairwise(bounds):
        covering = [span for span in covering if span.end > first] + opened.get(first, [])
        keys = tuple(dict.fromkeys(span.key for span in covering))
        if runs and set(runs[-1].keys) == set(keys):
            runs[-1] = Run(runs[-1].start, last, runs[-1].keys)
        else:
            runs.append(Run(first, last, keys))
    return runs


def opening_order(span: Span) -> tuple[int, int, str]:
    return span.start, -span.end, span.key


@dataclass(frozen=True)
class Position:
    """A place in a text, counted from 1."""

    line: int
    column: int


class LineIndex:
    """The beginnings of a text's lines."""

    def __init__(self, text: str) -> None:
        self.length = len(text)
        self.starts = list(line_starts(text))

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def position_of(self, offset: int) -> Position:
        """Return the line and the column of an offset, 0 to the length of the text."""
        line = bisect_right(self.starts, offset)
        return Position(line, offset - self.starts[line - 1] + 1)

    def line_length(self, line: int) -> int:
        """Return the number of characters of a line, without its end."""
        last = self.starts[line] - 1 if line < self.line_count else self.length
        return last - self.starts[line - 1]

    def offset_of(self, line: int, column: int) -> int:
        """Return the offset of a place. Raises ValueError with a sentence if the text has no such line or column."""
        if not 1 <= line <= self.line_count:
            raise ValueError(f"There is no line {line:,}: the text has {lines_in_words(self.line_count)}.")
        if not 1 <= column <= self.line_length(line) + 1:
            raise ValueError(
                f"There is no column {column:,} in line {line:,}, which has {self.line_length(line):,} characters."
            )
        return self.starts[line - 1] + column - 1

    def lines_of(self, span: Span) -> tuple[int, int]:
        """Return the first and the last line of a span that is not empty; a line's end belongs to that line."""
        return self.position_of(span.start).line, self.position_of(span.end - 1).line


def lines_in_words(count: int) -> str:
    return "one line" if count == 1 else f"{count:,} lines"


def line_starts(text: str) -> Iterator[int]:
    at = 0
    while True:
        yield at
        at = text.find("\n", at) + 1
        if not at:
            return
