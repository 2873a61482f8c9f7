"""Numbers of runs' tables as their pages show them."""

from typing import Any

from django import template

from datasets_app.templatetags.browse import visible

register = template.Library()


@register.filter
def cell(value: Any) -> str:
    """Return a value of a table: numbers with as many digits as they have, names with hidden characters shown."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else visible(str(value))


@register.filter
def metric(value: Any) -> str:
    """Return a metric: shares and speedups with three digits, counts whole."""
    return f"{value:.3f}" if isinstance(value, float) else cell(value)
