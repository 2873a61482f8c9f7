"""Draws the CUDA-sensitive regions of a kernel in its pane, and says what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.highlight.lines import Block
from datasets_app.browse.highlight.markup import Html
from datasets_app.browse.highlight.note_marks import marked_line
from datasets_app.browse.highlight.spans import LineIndex, Run, Span
from datasets_app.browse.panes.code_pane import CodePane
from datasets_app.browse.panes.noted import LINE_END, OPENING
from datasets_app.browse.panes.parts import Part
from datasets_app.syntax.kernel.sensitive import EXTRA_WEIGHTS, Region, Sensitive, apart, regions, weight

READ_SECONDS = 0.4
MOST_MARKED_CHARS = 200_000  # of HTML in a part; further lines are not marked


@dataclass(frozen=True)
class Legend:
    """The regions of a kernel in numbers: per kind its count, and the mean weight of the kernel's characters."""

    counts: tuple[tuple[str, str, int, float], ...] = ()  # class, name, regions, weight of a token in one
    weight: float = 1.0
    failure: str = ""


def with_regions(pane: CodePane, kernel: str, noted: Sequence[Region] = ()) -> tuple[CodePane, Legend]:
    """Return the pane with its regions drawn, and their legend; the pane as it is if they cannot be read in time.

    The regions that notes mark, if there are any, take the place of those of the syntax.
    """
    try:
        found = tuple(apart(noted)) or analysed(regions, kernel, seconds=READ_SECONDS)
    except AnalysisError as error:
        return pane, Legend(failure=str(error))
    drawn = replace(pane, parts=tuple(drawn_part(part, kernel, found) for part in pane.parts))
    return drawn, legend(found, len(kernel))


def legend(found: tuple[Region, ...], chars: int) -> Legend:
    counts = Counter(region.kind for region in found)
    rows = [
        (css(kind), kind.value, counts[kind], 1 + EXTRA_WEIGHTS[kind]) for kind in Sensitive if counts[kind]
    ]
    return Legend(tuple(rows), weight(found, chars))


def css(kind: Sensitive) -> str:
    return kind.value.replace(" ", "-")


def drawn_part(part: Part, text: str, found: tuple[Region, ...]) -> Part:
    if not part.blocks:
        return part
    index = LineIndex(text)
    spans = [Span(region.start, region.end, f"{number}") for number, region in enumerate(found)]
    labels = {f"{number}": css(region.kind) for number, region in enumerate(found)}
    return replace(
        part, blocks=tuple(drawn_block(block, text, index, spans, labels) for block in part.blocks)
    )


def drawn_block(
    block: Block, text: str, index: LineIndex, spans: list[Span], labels: Mapping[str, str]
) -> Block:
    pieces = block.html.split(LINE_END)
    numbers = range(block.first, min(block.last, index.line_count) + 1)
    if len(pieces) != len(numbers) + 1 or len(block.html) > MOST_MARKED_CHARS:
        return block
    first, last = (
        index.starts[block.first - 1],
        index.starts[numbers[-1] - 1] + index.line_length(numbers[-1]),
    )
    near = [span for span in spans if span.start < last and span.end > first]
    lines = drawn_lines(pieces, numbers, text, index, near, labels)
    return replace(block, html=Html(LINE_END.join([*lines, pieces[-1]])))


def drawn_lines(
    pieces: list[str],
    numbers: range,
    text: str,
    index: LineIndex,
    near: list[Span],
    labels: Mapping[str, str],
) -> Iterator[str]:
    for piece, number in zip(pieces, numbers, strict=False):
        start = index.starts[number - 1]
        line = text[start : start + index.line_length(number)]
        here = [span for span in near if span.start < start + len(line) and span.end > start]
        opening = OPENING.match(piece)
        if not here or not opening:
            yield piece
            continue
        yield opening[0] + marked_line(piece[opening.end() :], line, start, here, labels, tag)


def tag(run: Run, labels: Mapping[str, str], *, is_first: bool) -> str:
    """Return the opening tag of a region's run; its title says what it is, once."""
    kind = labels[run.keys[-1]]
    title = f' title="{escape(kind.replace("-", " "))}"' if is_first else ""
    return f'<mark class="region is-{escape(kind)}"{title}>'
