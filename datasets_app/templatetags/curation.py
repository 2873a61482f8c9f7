"""Filters of the curation pages: rules and counts."""

from typing import Any

from django import template

from datasets_app.curate.selection import reason_words
from datasets_app.export.card import METHOD_WORDS
from datasets_app.models import Language

register = template.Library()


register.filter("reason", reason_words)


@register.filter
def match_words(method: str) -> str:
    """Return why a task was dropped by decontamination, in words."""
    return METHOD_WORDS.get(method, method)


@register.filter
def language(name: str) -> str:
    """Return the language's label, such as C++ for cpp."""
    return Language(name).label if name in Language.values else name


@register.filter
def filesize(size_bytes: int) -> str:
    """Return 1.2 MB: in powers of 1,000, as file managers count."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


@register.filter
def chosen_among(value: Any, words: Any) -> bool:
    """Return whether the value is among those that a field holds."""
    return isinstance(words, list) and value in words
