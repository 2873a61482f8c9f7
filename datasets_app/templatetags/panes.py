"""The three panes of a sample: {% load panes %}{% panes sample notes %}."""

from typing import Any

from django import template

from datasets_app.browse.highlight import Html
from datasets_app.browse.panes import trace_items
from datasets_app.browse.panes.noted import noted_panes
from datasets_app.browse.panes.trace_pane import TracePane
from datasets_app.browse.sample.panes import panes_ahead, texts_of
from datasets_app.models import Sample
from datasets_app.review.notes import NoteList, spans_of

register = template.Library()


@register.inclusion_tag("sample/_panes.html")
def panes(sample: Sample, notes: NoteList, folded: str = "") -> dict[str, Any]:
    """Render the panes with the notes drawn, one of them `folded` until its reader unfolds it; the page needs
    css/code.css, css/panes.css, css/panes-one.css, css/notes.css and js/panes.js, and the sample needs its bodies.
    """
    drawn = noted_panes(panes_ahead(sample)(), texts_of(sample), spans_of(notes.threads))
    return {"sample": sample, "panes": drawn, "folded": folded}


@register.simple_tag
def trace_segments(pane: TracePane) -> Html:
    return trace_items.segments(pane)


@register.simple_tag
def trace_outline(pane: TracePane, page: str) -> Html:
    return trace_items.outline(pane, page)


@register.simple_tag
def trace_strips(pane: TracePane) -> Html:
    return trace_items.strips(pane)
