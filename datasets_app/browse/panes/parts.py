"""Splits a text for a page into parts of bounded lines and characters, and truncates long lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from datasets_app.browse.highlight.lexing import Piece, pieces
from datasets_app.browse.highlight.lines import Block, blocks, bounded, lines_of
from datasets_app.browse.highlight.markup import plain

WHOLE_LINES, WHOLE_CHARS = 2_000, 150_000  # a text up to this size is one part
PART_LINES, PART_CHARS = 1_000, 100_000
LONGEST_LINE = 8_000  # characters shown per line
COLOURED_CHARS = 500_000  # parts that begin further on are only escaped
FAR_PARTS = 60  # parts on either side with a link of their own

LINES = re.compile(rf"(?:[^\n]++(?:\n|\Z)|\n){{1,{PART_LINES}}}+")
LONG_LINE = re.compile(rf"^[^\n]{{{LONGEST_LINE}}}([^\n]++)", re.MULTILINE)


Lexer = Callable[[str], Iterable[Piece]]


@dataclass(frozen=True)
class Part:
    """A range of lines. Without blocks, it is loaded when it is scrolled to, linked to or requested.

    `is_far`: it represents many parts, and its link leads to a page that begins there.
    """

    first: int
    last: int
    blocks: tuple[Block, ...] = ()
    is_far: bool = False


@dataclass(frozen=True)
class Range:
    """Lines `first` to `last`, which are the characters from `start` to `end`."""

    first: int
    last: int
    start: int
    end: int


class Layout:
    """A text with its long lines truncated, split into ranges."""

    def __init__(self, source: str) -> None:
        self.text, self.cut = shortened(source.rstrip("\n"))

    @cached_property
    def line_count(self) -> int:
        return self.text.count("\n") + 1

    @property
    def is_long(self) -> bool:
        return self.line_count > WHOLE_LINES + 1 or len(self.text) > WHOLE_CHARS

    @cached_property
    def ranges(self) -> list[Range]:
        if not self.is_long:
            return [Range(1, self.line_count, 0, len(self.text))]
        return list(ranges(self.text))

    def at(self, line: int) -> int:
        """Return the index of the range that contains a line, or of the nearest."""
        return next((at for at, lines in enumerate(self.ranges) if line <= lines.last), len(self.ranges) - 1)

    def rendered(
        self,
        name: str,
        within: Range,
        *,
        notes: set[str] | None,
        coloured: bool = True,
        lexer: Lexer = pieces,
    ) -> tuple[Block, ...]:
        """Return the blocks of a range. With `notes`, built-ins become links, and their names are added to it."""
        raw = self.text[within.start : within.end].split("\n")[: within.last - within.first + 1]
        if coloured and within.start < COLOURED_CHARS:
            lines = skipped(
                lines_of(lexer(self.text[: COLOURED_CHARS + PART_CHARS]), notes), within.first - 1
            )
            html = [self.finished(within.first + at, line) for at, line in enumerate(bounded(lines, raw))]
        else:
            html = [self.finished(within.first + at, plain(line)) for at, line in enumerate(raw)]
        return tuple(blocks(name, html, within.first))

    def finished(self, number: int, html: str) -> str:
        left_out = self.cut.get(number)
        return f'{html}<span class="cut"> … {left_out:,} more characters</span>' if left_out else html


def shortened(text: str) -> tuple[str, dict[int, int]]:
    """Return the text with its long lines truncated, and for each of them the number of characters left out."""
    pieces, cut = [], {}
    at, line = 0, 1
    for match in LONG_LINE.finditer(text):
        line += text.count("\n", at, match.start())
        pieces.append(text[at : match.start(1)])
        at = match.end()
        cut[line] = len(match[1])
    return ("".join([*pieces, text[at:]]) if cut else text), cut


def ranges(text: str) -> Iterator[Range]:
    at, line = 0, 1
    while match := LINES.match(text, at):
        end = match.end()
        if end - at > PART_CHARS:
            end = text.rfind("\n", at, at + PART_CHARS) + 1  # no line is as long as a part
        last = line + text.count("\n", at, end) - (text[end - 1] == "\n")
        yield Range(line, last, at, end)
        at, line = end, last + 1


def skipped(lines: Iterator[str], count: int) -> Iterator[str]:
    for _ in range(count):
        next(lines, None)
    return lines


def beside(all_ranges: list[Range], shown: dict[int, Part]) -> list[Part]:
    """Return every part in order: the shown ones, links to those near them, and one link per side to the far ones."""
    nearest, farthest = min(shown) - FAR_PARTS, max(shown) + FAR_PARTS
    parts = [shown.get(at) or Part(lines.first, lines.last) for at, lines in enumerate(all_ranges)]
    before = [Part(1, parts[nearest - 1].last, is_far=True)] if nearest > 0 else []
    after = (
        [Part(parts[farthest + 1].first, parts[-1].last, is_far=True)] if farthest + 1 < len(parts) else []
    )
    return [*before, *parts[max(0, nearest) : farthest + 1], *after]


def html_size(rendered: Iterable[Block]) -> int:
    return sum(len(block.html) for block in rendered)
