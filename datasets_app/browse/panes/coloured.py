"""Syntax colours in differences: the tokens of each line, joined with the marks of its changed words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from datasets_app.browse.highlight.lexing import Piece, pieces
from datasets_app.syntax.diff import Hunk, Part, Row

COLOURED_CHARS = 200_000  # of a text; a longer one is shown without colours


def painter(left: str, right: str) -> Callable[[Hunk], Hunk]:
    """Return the function that colours the rows of a hunk; line numbers are those of the two texts."""
    left_lines, right_lines = coloured_lines(left), coloured_lines(right)

    def paint(hunk: Hunk) -> Hunk:
        return Hunk([painted(row, left_lines, right_lines) for row in hunk.rows], hunk.folded)

    return paint


def coloured_lines(text: str) -> list[list[Piece]]:
    """Return the pieces of each line; none for a text that is too long to be lexed for one page."""
    return list(by_line(text)) if len(text) <= COLOURED_CHARS else []


def by_line(text: str) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    for css_class, piece in pieces(text):
        first, *others = piece.split("\n")
        line.append((css_class, first))
        for other in others:
            yield line
            line = [(css_class, other)]
    yield line


def painted(row: Row, left: Sequence[list[Piece]], right: Sequence[list[Piece]]) -> Row:
    return replace(
        row,
        left_parts=joined(row.left_parts, left[row.left - 1])
        if 0 < row.left <= len(left)
        else row.left_parts,
        right_parts=(
            joined(row.right_parts, right[row.right - 1]) if 0 < row.right <= len(right) else row.right_parts
        ),
    )


def joined(parts: Sequence[Part], line: Sequence[Piece]) -> list[Part]:
    """Cut a line at every boundary of a mark or a token. A line of another text than its tokens stays as it is."""
    text = "".join(part[1] for part in parts)
    if "".join(piece for _, piece in line) != text:
        return list(parts)
    found: list[Part] = []
    marks, at = iter(parts), 0
    changed, until = False, 0
    for css_class, piece in line:
        end = at + len(piece)
        while at < end:
            while until <= at:
                mark = next(marks)
                changed, until = mark[0], until + len(mark[1])
            stop = min(end, until)
            found.append((changed, text[at:stop], css_class))
            at = stop
    return found
