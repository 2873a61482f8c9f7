"""Pieces -> numbered lines with permalinks, in blocks that a browser can leave unpainted until they are seen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from datasets_app.highlight.lexing import Piece, pieces
from datasets_app.highlight.markup import Html, span

BLOCK_LINES = 100


@dataclass(frozen=True)
class Block:
    """Up to BLOCK_LINES lines. `last` tells the page how wide the numbers are."""

    first: int
    last: int
    html: Html


def lines_of(parts: Iterable[Piece]) -> Iterator[str]:
    """Each line as HTML, without its line end. Neighbours of one class share a span."""
    line: list[str] = []
    held_class, held = "", ""
    for css_class, text in parts:
        first, *others = text.split("\n")
        if css_class == held_class:
            held += first
        else:
            line.append(span(held_class, held) if held else "")
            held_class, held = css_class, first
        for other in others:
            line.append(span(held_class, held) if held else "")
            yield "".join(line)
            line, held = [], other
    line.append(span(held_class, held) if held else "")
    yield "".join(line)


def numbered(pane: str, number: int, html: str) -> str:
    """One line. Its number is drawn by the style sheet, so that copied text has none."""
    name = f"{pane}-L{number}"
    return (
        f'<span class="l" id="{name}"><a class="ln" href="#{name}" data-n="{number}" tabindex="-1"'
        f' aria-hidden="true"></a>{html}\n</span>'
    )


def blocks(pane: str, lines: list[str]) -> list[Block]:
    """`pane` is a name of ours (program, trace, kernel) and makes the lines' ids."""
    found = []
    for start in range(0, len(lines), BLOCK_LINES):
        chunk = lines[start : start + BLOCK_LINES]
        html = "".join(numbered(pane, start + at, line) for at, line in enumerate(chunk, 1))
        found.append(Block(start + 1, start + len(chunk), Html(html)))
    return found


@lru_cache(maxsize=64)
def code_blocks(pane: str, source: str) -> tuple[Block, ...]:
    """A program or a kernel, highlighted. Kept for the next reader: texts never change under their id."""
    return tuple(blocks(pane, list(lines_of(pieces(source.rstrip("\n"))))))
