"""Filters of the operations page."""

from django import template

register = template.Library()
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


@register.filter
def duration(seconds: float) -> str:
    """Return seconds in the largest unit that they have two of, such as `90 s`, `12 min` or `3 d`."""
    for size, unit in UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
