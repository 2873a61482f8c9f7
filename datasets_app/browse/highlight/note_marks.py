"""Draws runs of a line as <mark> elements within the line's highlighted HTML, which keeps its own elements.

The HTML shows each character of the stored line once, in order, with these exceptions: a hidden character is a sign or
a replacement character, backticks around code are left out, and the end of a long line is. So the characters of both
are paired from left to right; a line whose characters do not pair is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape, unescape

from datasets_app.browse.highlight.markup import UNSEEN
from datasets_app.browse.highlight.spans import Run, Span, cut
from datasets_app.text_input.characters import HIDDEN

SIGN = '<span class="ctl"'
LEFT_OUT = '<span class="cut"'  # follows the shown part of a line that is too long
UNIT = re.compile(r'<span class="ctl"[^>]*>[^<]*</span>|<[^>]*>|&[#\w]+;|[^<&]', re.DOTALL)


class UnpairedError(Exception):
    """A character of the HTML is not in the stored line."""


def marked_line(
    html: str,
    line: str,
    start: int,
    spans: Sequence[Span],
    labels: Mapping[str, str],
    tag: Callable[..., str] | None = None,
) -> str:
    """Return the HTML of a line, which begins at offset `start`, with its spans marked.

    `labels` names each key's label, which becomes a class; `tag` writes the opening tag of other marks than notes'.
    """
    runs = [run for run in cut(start, start + len(line), spans) if run.keys]
    if not runs:
        return html
    try:
        return "".join(marked(units(html, line, start), runs, labels, tag or opening))
    except UnpairedError:
        return html


def units(html: str, line: str, start: int) -> Iterator[tuple[str, int | None]]:
    """Yield each tag with None, and each shown character with its offset in the stored text."""
    at, after = 0, False
    for match in UNIT.finditer(html):
        unit = match[0]
        after = after or unit.startswith(LEFT_OUT)
        if after or (unit.startswith("<") and not unit.startswith(SIGN)):
            yield unit, None
            continue
        at = paired(unit, line, at)
        yield unit, start + at
        at += 1


def paired(unit: str, line: str, at: int) -> int:
    """Return the index of the stored character that a unit shows: the next one, or the one after left-out backticks."""
    hidden = unit.startswith(SIGN) or unit == UNSEEN
    shown = "" if hidden else unescape(unit)
    while at < len(line):
        if line[at] == shown or (hidden and (HIDDEN.match(line[at]) or line[at] == UNSEEN)):
            return at
        if line[at] != "`":
            break
        at += 1
    raise UnpairedError


def marked(
    shown: Iterator[tuple[str, int | None]],
    runs: Sequence[Run],
    labels: Mapping[str, str],
    tag: Callable[..., str],
) -> Iterator[str]:
    """Yield the pieces of the HTML. A mark ends before each tag and begins again after it, so that elements nest."""
    waiting, opened = list(reversed(runs)), False
    begun: Run | None = None
    for unit, offset in shown:
        while offset is not None and waiting and waiting[-1].end <= offset:
            waiting.pop()
            if opened:
                yield "</mark>"
                opened = False
        inside = offset is not None and bool(waiting) and waiting[-1].start <= offset
        if opened and not inside:
            yield "</mark>"
            opened = False
        if inside and not opened:
            run = waiting[-1]
            yield tag(run, labels, is_first=run is not begun)
            opened, begun = True, run
        yield unit
    if opened:
        yield "</mark>"


def opening(run: Run, labels: Mapping[str, str], *, is_first: bool) -> str:
    """Return the tag that begins a run, or continues it after another element; the first one counts the notes."""
    depth = min(len(run.keys), 3)
    label = labels.get(run.keys[-1], "") or "none"
    count = f' data-count="{len(run.keys)}"' if is_first and len(run.keys) > 1 else ""
    names = escape(" ".join(run.keys))
    return f'<mark class="noted is-{escape(label)} depth-{depth}" data-notes="{names}"{count}>'
