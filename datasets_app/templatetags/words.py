"""Sentences that name code in backticks, as docstrings and engine details do."""

from django import template
from django.utils.html import format_html, format_html_join

register = template.Library()


@register.filter
def in_code_and_words(text: str) -> list[tuple[bool, str]]:
    """The parts of a sentence in their order: (whether it is code, the part without its backticks).

    A backtick without its partner stays a character.
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return [(number % 2 == 1, part) for number, part in enumerate(parts) if part]


@register.filter
def unbroken(command: str) -> str:
    """A command whose lines end between its words alone: a browser would break `--wait` after its hyphens."""
    return mark_words(command) if " -" in command else command


def mark_words(command: str) -> str:
    return format_html_join(" ", "{}", ((whole(word),) for word in command.split(" ")))


def whole(word: str) -> str:
    return format_html('<span class="nowrap">{}</span>', word) if "-" in word else word
