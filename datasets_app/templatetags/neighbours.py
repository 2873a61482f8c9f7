"""The most similar samples: {% load neighbours %}{% neighbours sample %}. At most nine queries, no bodies."""

from typing import Any

from django import template

from datasets_app.accounts.actor import actor_of
from datasets_app.models import Sample
from datasets_app.review import hidden_verdicts
from datasets_app.similarity.find import neighbours_of

register = template.Library()


@register.inclusion_tag("neighbours/_panel.html", takes_context=True)
def neighbours(context: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """Render the panel; the page needs css/sample.css."""
    found = neighbours_of(sample.pk)
    hidden = hidden_verdicts(actor_of(context["request"]), (row.sample.pk for row in found.rows))
    return {"sample": sample, "neighbours": found, "hidden_verdicts": hidden}
