"""Numbers of runs' tables as their pages show them."""

from typing import Any

from django import template

from datasets_app.templatetags.browse import visible

register = template.Library()


@register.filter
def is_name(value: Any) -> bool:
    return isinstance(value, str)


@register.filter
def cell(value: Any) -> str:
    """Return a value of a table: shares and speedups with three digits, counts whole, names made visible."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if isinstance(value, float) else visible(value)
