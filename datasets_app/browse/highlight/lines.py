"""Pieces -> numbered lines with permalinks, in blocks that a browser can leave unpainted until they are seen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from datasets_app.browse.highlight.glossary import NOTES
from datasets_app.browse.highlight.lexing import Piece
from datasets_app.browse.highlight.markup import Html, plain, span

BLOCK_LINES = 100
MOST_HTML = 600_000  # characters of a part; its lines beyond are escaped only


@dataclass(frozen=True)
class Block:
    """Up to BLOCK_LINES lines. `last` tells the page how wide the numbers are."""

    first: int
    last: int
    html: Html


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


def blocks(pane: str, lines: list[str], first: int = 1) -> list[Block]:
    """Lines of HTML, the first with the number `first`. `pane` (program, trace, kernel) makes the lines' ids."""
    found = []
    for start in range(0, len(lines), BLOCK_LINES):
        chunk = lines[start : start + BLOCK_LINES]
        html = "".join(numbered(pane, first + start + at, line) for at, line in enumerate(chunk))
        found.append(Block(first + start, first + start + len(chunk) - 1, Html(html)))
    return found


def bounded(lines: Iterable[str], raw: list[str]) -> Iterator[str]:
    """The lines as HTML; from where they come to more than MOST_HTML, escaped only."""
    left = MOST_HTML
    for html, text in zip(lines, raw, strict=False):
        shown = html if len(html) <= left else plain(text)
        left -= len(shown)
        yield shown
