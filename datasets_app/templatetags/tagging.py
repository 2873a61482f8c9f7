"""The tags of a sample."""

from typing import Any

from django import template

from datasets_app.browse.list import tags
from datasets_app.db.some_rows import Some
from datasets_app.models import Sample, SampleTag

register = template.Library()


@register.inclusion_tag("browse/_sample_tags.html", takes_context=True)
def sample_tags(context: dict[str, Any], sample: Sample, some: Some = (SampleTag,)) -> dict[str, Any]:
    """Render the tags, with forms to add and remove them for those who may; at most one query. `some`: the tables that
    have a row of the sample.
    """
    own_tags = tags.of_samples([sample.pk]).get(sample.pk, []) if SampleTag in some else []
    return {
        "sample": sample,
        "tags": own_tags,
        "may_annotate": context.get("may_annotate"),
        "request": context["request"],
    }
