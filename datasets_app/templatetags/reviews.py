"""The reviews of a sample."""

from typing import Any

from django import template

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.db.some_rows import Some
from datasets_app.models import QueueItem, Review, ReviewClaim, Sample
from datasets_app.models.verdict_policy import decide
from datasets_app.review.candidates import live_claims

register = template.Library()
JUDGING = (Review, QueueItem, ReviewClaim)


@register.inclusion_tag("review/_reviews.html", takes_context=True)
def reviews(context: dict[str, Any], sample: Sample, some: Some = JUDGING) -> dict[str, Any]:
    """Render the reviews, newest first, and the live claim, if any; a fixed number of queries, at most. `some`: the
    tables that have a row of the sample.
    """
    user = context["user"]
    actor = actor_of(context["request"])
    blind = stage.is_blind_to(actor, sample)
    is_judged = Review in some or QueueItem in some
    judgements = stage.Judgements.of(sample) if is_judged else stage.Judgements.none(sample)
    claims = live_claims().filter(sample=sample).select_related("reviewer") if ReviewClaim in some else []
    shown = judgements.visible_to(user, blind)
    is_mine = any(review.reviewer_id == user.pk and not review.is_withdrawn for review in shown)
    hidden = blind and not is_mine
    return {
        "sample": sample,
        "reviews": shown,
        "is_mine": is_mine,
        "hidden": hidden,
        "withdrawable": [
            review.pk
            for review in shown
            if not review.is_withdrawn and may_withdraw(actor, review.reviewer_id)
        ],
        "decision": None if hidden else decide(shown, judgements.policy),
        "queue": judgements.queue,
        "claims": list(claims),
        "user": user,
        "may_annotate": context.get("may_annotate"),
        "may_curate": context.get("may_curate"),
    }
