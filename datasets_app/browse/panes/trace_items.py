"""Renders a trace's segments, outline and strip. A long trace has hundreds of segments, which would take a template
longer than the rest of the page.
"""

from __future__ import annotations

from datasets_app.browse.highlight import Html, ShownSegment
from datasets_app.browse.highlight.markup import safe
from datasets_app.browse.panes.trace_pane import Strip, TracePane
from datasets_app.traces.segments import Segment


def segments(pane: TracePane) -> Html:
    """Return each segment with a heading that folds it."""
    return Html("".join(map(segment, pane.shown)))


def segment(shown: ShownSegment) -> str:
    part = shown.segment
    tokens = f'<span class="num">{part.tokens:,}</span>' if part.tokens else ""  # 0: not counted
    return (
        f'<details class="segment is-{part.kind}" id="trace-S{shown.number}" open><summary>'
        f'<span class="segment-kind">{part.kind}</span> <span class="segment-title">{safe(part.title)}</span> '
        f'{tokens}</summary><div class="segment-text">{shown.html}</div></details>'
    )


def outline(pane: TracePane, page: str) -> Html:
    """Return a link to each segment; `page` is the URL of a page that begins with another one."""
    entries = (outline_entry(pane, number, part, page) for number, part in enumerate(pane.listed, 1))
    return Html("".join(entries))


def outline_entry(pane: TracePane, number: int, part: Segment, page: str) -> str:
    elsewhere = "" if pane.is_shown(number) else safe(f"{page}?segment={number}")
    return (
        f'<li><a href="{elsewhere}#trace-S{number}"><span class="jump-kind is-{part.kind}">{part.kind}</span> '
        f'<span class="jump-name">{safe(part.title)}</span> <span class="num soft">{part.tokens:,}</span></a></li>'
    )


def strips(pane: TracePane) -> Html:
    """Return rectangles as wide as their segments, in a drawing of 1000 by 8."""
    return Html("".join(map(strip, pane.strips)))


def strip(bar: Strip) -> str:
    part = bar.segment
    return (
        f'<a href="#trace-S{bar.number}" tabindex="-1"><rect class="is-{part.kind}" x="{bar.x}"'
        f' width="{bar.width}" height="8"><title>{part.kind}, {part.tokens:,} tokens</title></rect></a>'
    )
