"""Sentences with code in backticks, as in docstrings and engine details."""

from django import template
from django.utils.html import format_html, format_html_join

register = template.Library()


@register.filter
def in_code_and_words(text: str) -> list[tuple[bool, str]]:
    """Return the parts of a sentence in order: (whether it is code, the part without its backticks).

    An unpaired backtick stays a character.
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return [(number % 2 == 1, part) for number, part in enumerate(parts) if part]


@register.filter
def unbroken(command: str) -> str:
    """Return a command that wraps between words only: a browser would break `--wait` after its hyphens."""
    return mark_words(command) if " -" in command else command


def mark_words(command: str) -> str:
    return format_html_join(" ", "{}", ((whole(word),) for word in command.split(" ")))


def whole(word: str) -> str:
    return format_html('<span class="nowrap">{}</span>', word) if "-" in word else word
