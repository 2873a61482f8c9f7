"""The three panes of a sample: {% load panes %}{% panes sample %}."""

from typing import Any

from django import template

from datasets_app.browse.highlight import Html
from datasets_app.browse.panes import trace_items
from datasets_app.browse.panes.trace_pane import TracePane
from datasets_app.browse.sample.panes import panes_ahead
from datasets_app.models import Sample

register = template.Library()


@register.inclusion_tag("sample/_panes.html")
def panes(sample: Sample) -> dict[str, Any]:
    """Render the panes; the page needs css/code.css, css/panes.css and js/panes.js, and the sample needs its bodies."""
    return {"sample": sample, "panes": panes_ahead(sample)()}


@register.simple_tag
def trace_segments(pane: TracePane) -> Html:
    return trace_items.segments(pane)


@register.simple_tag
def trace_outline(pane: TracePane, page: str) -> Html:
    return trace_items.outline(pane, page)


@register.simple_tag
def trace_strips(pane: TracePane) -> Html:
    return trace_items.strips(pane)
