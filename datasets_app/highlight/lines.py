"""Pieces -> numbered lines with permalinks, in blocks that a browser can leave unpainted until they are seen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from datasets_app.highlight.glossary import NOTES
from datasets_app.highlight.lexing import Piece, pieces
from datasets_app.highlight.markup import Html, span

BLOCK_LINES = 100


@dataclass(frozen=True)
class Block:
    """Up to BLOCK_LINES lines. `last` tells the page how wide the numbers are."""

    first: int
    last: int
    html: Html


@dataclass(frozen=True)
class Listing:
    """A whole text. `noted` are the built-ins in it that link to a note of theirs."""

    blocks: tuple[Block, ...]
    noted: frozenset[str] = frozenset()


def noted_span(css_class: str, text: str, noted: set[str]) -> str:
    """A built-in as a link to its note. The first of a name takes part in the tab order, the others do not."""
    tab = ' tabindex="-1"' if text in noted else ""
    noted.add(text)
    return f'<a class="{css_class} note" href="#note-{text}"{tab}>{text}</a>'


def lines_of(parts: Iterable[Piece], noted: set[str] | None = None) -> Iterator[str]:
    """Each line as HTML, without its line end. Neighbours of one class share a span.

    With `noted`, built-ins are links to their notes, and their names are put there."""
    line: list[str] = []
    held_class, held = "", ""
    for css_class, text in parts:
        if noted is not None and css_class and text in NOTES:
            line += [span(held_class, held) if held else "", noted_span(css_class, text, noted)]
            held_class, held = "", ""
            continue
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
def listing(pane: str, source: str, with_notes: bool = False) -> Listing:
    """A program or a kernel, highlighted. Kept for the next reader: texts never change under their id."""
    noted: set[str] | None = set() if with_notes else None
    lines = list(lines_of(pieces(source.rstrip("\n")), noted))
    return Listing(tuple(blocks(pane, lines)), frozenset(noted or ()))


def beginning(pane: str, source: str, last: int, with_notes: bool = False) -> tuple[Block, ...]:
    """The blocks up to line `last`, in the time that these take. `last` ends a block, or is beyond the text."""
    lines = lines_of(pieces(source.rstrip("\n")), set() if with_notes else None)
    return tuple(blocks(pane, list(islice(lines, last))))
