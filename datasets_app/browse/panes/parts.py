"""Where a text is cut for a page: into parts of at most so many lines and characters, long lines shortened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from datasets_app.browse.highlight.lexing import Piece, pieces
from datasets_app.browse.highlight.lines import Block, blocks, bounded, lines_of
from datasets_app.browse.highlight.markup import plain

WHOLE_LINES, WHOLE_CHARS = 2_000, 150_000  # a text up to here comes in one part
PART_LINES, PART_CHARS = 1_000, 100_000
LONGEST_LINE = 8_000  # characters that are shown of a line
COLOURED_CHARS = 500_000  # parts that begin further on are escaped only
FAR_PARTS = 60  # parts on either side that have a link of their own

LINES = re.compile(rf"(?:[^\n]++(?:\n|\Z)|\n){{1,{PART_LINES}}}+")
LONG_LINE = re.compile(rf"^[^\n]{{{LONGEST_LINE}}}([^\n]++)", re.MULTILINE)


Lexer = Callable[[str], Iterable[Piece]]


@dataclass(frozen=True)
class Part:
    """Lines that come together. Without blocks they wait until they are scrolled to, linked to or asked for.

    `is_far`: it stands for many parts, and its link leads to a page that begins there."""

    first: int
    last: int
    blocks: tuple[Block, ...] = ()
    is_far: bool = False


@dataclass(frozen=True)
class Range:
    """Lines `first` to `last`, and the characters from `start` to `end` that hold them."""

    first: int
    last: int
    start: int
    end: int


class Layout:
    """A text with its long lines shortened, and where its parts begin."""

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
        """Return the place of the range that holds a line, or of the nearest."""
        return next((at for at, one in enumerate(self.ranges) if line <= one.last), len(self.ranges) - 1)

    def rendered(
        self, name: str, one: Range, *, notes: set[str] | None, coloured: bool = True, lexer: Lexer = pieces
    ) -> tuple[Block, ...]:
        """Return the blocks of a range. With `notes`, built-ins are links, and their names are put there."""
        raw = self.text[one.start : one.end].split("\n")[: one.last - one.first + 1]
        if coloured and one.start < COLOURED_CHARS:
            lines = skipped(lines_of(lexer(self.text[: COLOURED_CHARS + PART_CHARS]), notes), one.first - 1)
            html = [self.finished(one.first + at, line) for at, line in enumerate(bounded(lines, raw))]
        else:
            html = [self.finished(one.first + at, plain(line)) for at, line in enumerate(raw)]
        return tuple(blocks(name, html, one.first))

    def finished(self, number: int, html: str) -> str:
        left_out = self.cut.get(number)
        return f'{html}<span class="cut"> … {left_out:,} more characters</span>' if left_out else html


def shortened(text: str) -> tuple[str, dict[int, int]]:
    """Return the text with its long lines cut, and for each of them how many characters were left out."""
    kept, cut = [], {}
    at, line = 0, 1
    for match in LONG_LINE.finditer(text):
        line += text.count("\n", at, match.start())
        kept.append(text[at : match.start(1)])
        at = match.end()
        cut[line] = len(match[1])
    return ("".join([*kept, text[at:]]) if cut else text), cut


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


def beside(found: list[Range], shown: dict[int, Part]) -> list[Part]:
    """Every part in order: those that are shown, links to those near them, and one link to what is far on a side."""
    nearest, farthest = min(shown) - FAR_PARTS, max(shown) + FAR_PARTS
    parts = [shown.get(at) or Part(one.first, one.last) for at, one in enumerate(found)]
    before = [Part(1, parts[nearest - 1].last, is_far=True)] if nearest > 0 else []
    after = (
        [Part(parts[farthest + 1].first, parts[-1].last, is_far=True)] if farthest + 1 < len(parts) else []
    )
    return [*before, *parts[max(0, nearest) : farthest + 1], *after]


def html_size(found: Iterable[Block]) -> int:
    return sum(len(block.html) for block in found)
