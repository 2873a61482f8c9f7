"""Reserves the sample after the open one, so that a page can fetch it before it is needed.

The claim is one on a slot as any other, and a short one: a page that dies without releasing it keeps the slot from
others for minutes only.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.models import ReviewClaim, Sample
from datasets_app.review.candidates import ReviewerQueue, live_claims
from datasets_app.review.queue import first_claimed

AHEAD_LASTS = timedelta(minutes=3)


@needs(Scope.ANNOTATE)
def sample_ahead(here: Sample, actor: Actor, chosen: BrowseFilter | None = None) -> Sample | None:
    """Claim the next sample under a filter beside `here` for a short time. Return None if none is free."""
    reviewer = actor.person()
    return first_ahead(ReviewerQueue.of(reviewer, chosen).candidates(), here, reviewer)


def first_ahead(groups: Iterable[list[Any]], here: Sample, reviewer: Any) -> Sample | None:
    """Claim the first sample of these groups that has a slot. Samples that other pages of this reviewer hold are left
    out: two pages never get the same one.
    """
    held = set(live_claims().filter(reviewer=reviewer).values_list("sample_id", flat=True)) | {here.pk}
    for ids in groups:
        taken = first_claimed([one for one in ids if one not in held], reviewer, AHEAD_LASTS)
        if taken:
            return Sample.objects.with_body().get(pk=taken.pk)
    return None


@needs(Scope.ANNOTATE)
def release_ahead(sample_id: Any, actor: Actor) -> None:
    """Release a short claim. One that a page has renewed since, because the sample is open, stays."""
    soon = timezone.now() + AHEAD_LASTS
    ReviewClaim.objects.filter(sample_id=sample_id, reviewer=actor.person(), expires_at__lte=soon).delete()
