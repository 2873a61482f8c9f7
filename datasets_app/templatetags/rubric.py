"""What was typed into a review form, in words."""

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()
HIDDEN = ("comment", "rubric")  # shown otherwise, or not at all


@register.filter
def typed_labels(fields: Mapping[str, Any]) -> list[str]:
    """Return the short fields of a draft: the verdict, scores with their criterion, and reasons."""
    return [label_of(name, str(value)) for name, value in fields.items() if name not in HIDDEN]


def label_of(name: str, value: str) -> str:
    words = name.removeprefix("reason-").replace("_", " ")
    if name == "verdict":
        return value
    return words if name.startswith("reason-") else f"{words} {value}"
