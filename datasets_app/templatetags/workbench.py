"""Formatted values for all pages; the formats themselves are in browse.formats."""

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.browse import formats

register = template.Library()
register.simple_tag(formats.state)
register.simple_tag(formats.standing)
register.filter(formats.speedup)
register.filter(formats.measured)
register.filter(formats.milliseconds)
register.filter(formats.duration)
register.filter(formats.precise_percent)
register.filter(formats.time_span)
register.filter(formats.two_places)

SEVERITY_TONES = {"reject": "is-bad", "audit": "is-doubt", "label": ""}


@register.simple_tag
def day(moment: datetime) -> SafeString:
    """Return a date, with its time as tooltip. Lists show many: three `date` filters each are much slower."""
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        utc.isoformat(),
        f"{utc:%Y-%m-%d %H:%M:%S}",
        f"{utc:%Y-%m-%d}",
    )


@register.filter
def severity_tone(value: str) -> str:
    return SEVERITY_TONES.get(value, "")


@register.filter
def short_id(value: object) -> str:
    return str(value)[:8]
