"""What the forms of notes need."""

from uuid import UUID, uuid4

from django import template

register = template.Library()


@register.simple_tag
def new_key() -> UUID:
    """Return a key for a form, so that a repeated submission is stored once."""
    return uuid4()
