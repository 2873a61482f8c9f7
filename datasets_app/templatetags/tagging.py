"""The tags of a sample."""

from typing import Any

from django import template

from datasets_app.browse.list import tags
from datasets_app.models import Sample

register = template.Library()


@register.inclusion_tag("browse/_sample_tags.html", takes_context=True)
def sample_tags(context: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """Render the tags, with forms to add and remove them for those who may; one query."""
    own_tags = tags.of_samples([sample.pk]).get(sample.pk, [])
    return {
        "sample": sample,
        "tags": own_tags,
        "may_annotate": context.get("may_annotate"),
        "request": context["request"],
    }
