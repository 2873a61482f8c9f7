"""Small helpers of the browse, sample and task pages."""

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def at(mapping: Mapping[str, Any], key: str) -> Any:
    """The value under a key that is itself a value of the page."""
    return mapping.get(key, "")


@register.filter
def kilobytes(size_bytes: int) -> str:
    return f"{size_bytes / 1000:.1f}"


@register.filter
def half_width(evidence: Any) -> str:
    """±0.01: half of the interval of a measured speedup, with the digits of the speedup itself."""
    half = (evidence.speedup_high - evidence.speedup_low) / 2
    return f"±{half:.2f}" if evidence.speedup_high < 10 else f"±{half:.1f}"
