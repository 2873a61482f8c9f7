"""The tags of a sample, for the pages that show one."""

from typing import Any

from django import template

from datasets_app.browse.list import tags
from datasets_app.models import Sample

register = template.Library()


@register.inclusion_tag("browse/_sample_tags.html", takes_context=True)
def sample_tags(context: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """With a form to add one and a button to take each off, for those who may; one query."""
    found = tags.of_samples([sample.pk]).get(sample.pk, [])
    return {
        "sample": sample,
        "tags": found,
        "may_annotate": context.get("may_annotate"),
        "request": context["request"],
    }
