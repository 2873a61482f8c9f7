"""Turns pieces into numbered lines with permalinks, in blocks that a browser need not paint until they are visible."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from datasets_app.browse.highlight.glossary import NOTES
from datasets_app.browse.highlight.lexing import Piece
from datasets_app.browse.highlight.markup import Html, plain, span

BLOCK_LINES = 100
MOST_HTML = 600_000  # characters per part; further lines are only escaped


@dataclass(frozen=True)
class Block:
    """Up to BLOCK_LINES lines. `last` determines the width of the numbers."""

    first: int
    last: int
    html: Html


def noted_span(css_class: str, text: str, noted: set[str]) -> str:
    """Return a built-in as a link to its note. Only the first occurrence of a name is in the tab order."""
    tab = ' tabindex="-1"' if text in noted else ""
    noted.add(text)
    return f'<a class="{css_class} note" href="#note-{text}"{tab}>{text}</a>'


def lines_of(parts: Iterable[Piece], noted: set[str] | None = None) -> Iterator[str]:
    """Yield each line as HTML, without its line end. Adjacent pieces of one class share a span.

    With `noted`, built-ins become links to their notes, and their names are added to it.
    """
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
    """Return one line. Its number is drawn by the style sheet, so that copied text has none."""
    name = f"{pane}-L{number}"
    return (
        f'<span class="l" id="{name}"><a class="ln" href="#{name}" data-n="{number}" tabindex="-1"'
        f' aria-hidden="true"></a>{html}\n</span>'
    )


def blocks(pane: str, lines: list[str], first: int = 1) -> list[Block]:
    """Return blocks of HTML lines, numbered from `first`. `pane` (program, trace, kernel) prefixes the lines' ids."""
    numbered_blocks = []
    for start in range(0, len(lines), BLOCK_LINES):
        chunk = lines[start : start + BLOCK_LINES]
        html = "".join(numbered(pane, first + start + at, line) for at, line in enumerate(chunk))
        numbered_blocks.append(Block(first + start, first + start + len(chunk) - 1, Html(html)))
    return numbered_blocks


def bounded(lines: Iterable[str], raw: list[str]) -> Iterator[str]:
    """Yield the lines as HTML; once they exceed MOST_HTML in total, escaped only."""
    left = MOST_HTML
    for html, text in zip(lines, raw, strict=False):
        shown = html if len(html) <= left else plain(text)
        left -= len(shown)
        yield shown
