"""The reviews of a sample."""

from typing import Any

from django import template

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.models import Sample
from datasets_app.review.candidates import live_claims

register = template.Library()


@register.inclusion_tag("review/_reviews.html", takes_context=True)
def reviews(context: dict[str, Any], sample: Sample) -> dict[str, Any]:
    """Render the reviews, newest first, and the live claim, if any; two queries."""
    user = context["user"]
    blind = stage.is_blind_to(actor_of(context["request"]))
    shown = list(stage.visible_reviews(sample, user, blind))
    return {
        "sample": sample,
        "reviews": shown,
        "hidden": blind and not any(review.reviewer_id == user.pk for review in shown),
        "claim": live_claims().filter(sample=sample).select_related("reviewer").first(),
        "user": user,
        "may_annotate": context.get("may_annotate"),
    }
