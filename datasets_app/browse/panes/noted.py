"""Draws notes in the panes: the spans of each text as marks in the lines that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from datasets_app.browse.highlight.lines import Block
from datasets_app.browse.highlight.markup import Html
from datasets_app.browse.highlight.note_marks import marked_line
from datasets_app.browse.highlight.prose import ShownSegment
from datasets_app.browse.highlight.spans import LineIndex, Span
from datasets_app.browse.panes.code_pane import CodePane
from datasets_app.browse.panes.parts import Part
from datasets_app.browse.panes.read import Panes, Texts
from datasets_app.browse.panes.trace_pane import TracePane

MOST_MARKED_CHARS = 200_000  # of HTML in a part or a window; further lines have a sign at their number only
LINE_END = "\n</span>"
OPENING = re.compile(r'<span class="(l(?: is-rest)?)"((?: id="[^"]*")?)>(<a class="ln"[^>]*></a>)?')


@dataclass(frozen=True)
class NotedSpans:
    """The spans of one text, and the label of each note by its key."""

    spans: tuple[Span, ...] = ()
    labels: Mapping[str, str] | None = None


def noted_panes(panes: Panes, texts: Texts, notes: Mapping[str, NotedSpans]) -> Panes:
    """Return the panes with their notes drawn. `notes`: the spans by the text's name, those that can be drawn only."""
    program, trace, kernel = (notes.get(name, NotedSpans()) for name in ("program", "trace", "kernel"))
    return Panes(
        noted_code(panes.program, texts.program, program),
        noted_trace(panes.trace, texts.trace or "", trace) if panes.trace else None,
        noted_code(panes.kernel, texts.kernel, kernel),
    )


def noted_code(pane: CodePane, text: str, notes: NotedSpans) -> CodePane:
    if not notes.spans:
        return pane
    return replace(pane, parts=tuple(noted_part(part, text, notes) for part in pane.parts))


def noted_part(part: Part, text: str, notes: NotedSpans) -> Part:
    """Return a part of the program or the kernel with its notes drawn."""
    if not notes.spans or not part.blocks:
        return part
    index = LineIndex(text)
    pen = Pen(notes)
    return replace(part, blocks=tuple(noted_block(block, text, index, pen) for block in part.blocks))


def noted_block(block: Block, text: str, index: LineIndex, pen: Pen) -> Block:
    starts = ((index.starts[number - 1], number) for number in range(block.first, block.last + 1))
    lines = [(start, text[start : start + index.line_length(number)]) for start, number in starts]
    return replace(block, html=pen.drawn(block.html, lines))


def noted_trace(pane: TracePane, text: str, notes: NotedSpans) -> TracePane:
    """Return a window of the trace with its notes drawn."""
    if not notes.spans:
        return pane
    pen = Pen(notes)
    return replace(pane, shown=tuple(noted_segment(segment, text, pen) for segment in pane.shown))


def noted_segment(shown: ShownSegment, text: str, pen: Pen) -> ShownSegment:
    part = shown.segment
    return replace(
        shown, html=pen.drawn(shown.html, list(lines_from(part.start, text[part.start : part.end])))
    )


def lines_from(start: int, text: str) -> Iterator[tuple[int, str]]:
    for line in text.rstrip("\n").split("\n"):
        yield start, line
        start += len(line) + 1


class Pen:
    """Draws the spans of one text in pieces of its HTML, up to a limit."""

    def __init__(self, notes: NotedSpans) -> None:
        self.spans = sorted(notes.spans)
        self.labels = notes.labels or {}
        self.left = MOST_MARKED_CHARS

    def drawn(self, html: str, lines: Sequence[tuple[int, str]]) -> Html:
        """Return the HTML of these lines, each with its offset, with their spans marked."""
        first, last = lines[0][0], lines[-1][0] + len(lines[-1][1]) + 1
        near = [span for span in self.spans if span.start < last and span.end > first]
        if not near:
            return Html(html)
        pieces = html.split(LINE_END)
        if len(pieces) != len(lines) + 1:  # never seen; a page without marks is better than wrong ones
            return Html(html)
        drawn = (
            self.line(piece, start, line, near) for piece, (start, line) in zip(pieces, lines, strict=False)
        )
        return Html(LINE_END.join([*drawn, pieces[-1]]))

    def line(self, html: str, start: int, line: str, near: Iterable[Span]) -> str:
        """Return one line; its end belongs to it."""
        here = [span for span in near if span.start <= start + len(line) and span.end > start]
        opening = OPENING.match(html)
        if not here or not opening:
            return html
        body = html[opening.end() :]
        if len(body) <= self.left:
            self.left -= len(body)
            body = marked_line(body, line, start, here, self.labels)
        return f'<span class="{opening[1]} has-note"{opening[2]}>{opening[3] or ""}{body}'
