"""The most similar samples: {% load neighbours %}{% neighbours sample %}. At most seven queries, no bodies."""

from typing import Any

from django import template

from datasets_app.models import Sample
from datasets_app.similarity.find import neighbours_of

register = template.Library()


@register.inclusion_tag("neighbours/_panel.html")
def neighbours(sample: Sample) -> dict[str, Any]:
    """Render the panel; the page needs css/sample.css."""
    return {"sample": sample, "neighbours": neighbours_of(sample.pk)}
