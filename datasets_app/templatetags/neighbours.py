"""The nearest samples of one: {% load neighbours %}{% neighbours sample %}. Seven queries at most, no body."""

from typing import Any

from django import template

from datasets_app.models import Sample
from datasets_app.similarity.find import neighbours_of

register = template.Library()


@register.inclusion_tag("neighbours/_panel.html")
def neighbours(sample: Sample) -> dict[str, Any]:
    """Needs css/sample.css on the page."""
    return {"sample": sample, "neighbours": neighbours_of(sample.pk)}
