"""Sentences that name code in backticks, as docstrings and engine details do."""

from django import template

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
