"""Blind review: what other people decided is hidden from a reviewer until their own review.

The whole site can be blind (`CONCUR_BLIND_REVIEW`), and every open queue can: curators are not, except on the review
page itself. `browse.query.hidden_reviews` has the rule for what is asked of many samples: filters, counts, exports.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.hidden_reviews import hidden_from, in_blind_queues
from datasets_app.models import Review, Sample
from datasets_app.models.review import ReviewQuerySet


def is_blind_to(actor: Actor, sample: Sample) -> bool:
    """Return whether other people's reviews of the sample are hidden from the actor; curators see them."""
    if actor.may(Scope.CURATE):
        return False
    return settings.REVIEW_BLIND or in_blind_queues().filter(sample=sample.pk).exists()


def readable_samples(actor: Actor) -> Q:
    """Return the condition on rows with a `sample` whose judgements the actor may read, besides own rows."""
    if actor.may(Scope.CURATE):
        return Q()
    reviewed = Q(sample__in=Review.objects.standing().filter(reviewer=actor.user).values("sample"))
    return reviewed if settings.REVIEW_BLIND else reviewed | ~Q(sample__in=in_blind_queues().values("sample"))


def readable_reviews(actor: Actor) -> ReviewQuerySet:
    """Return reviews of all samples; in blind review own ones, and those of samples that the reader has reviewed."""
    readable = readable_samples(actor)
    return Review.objects.filter(Q(reviewer=actor.user) | readable) if readable else Review.objects.all()


def hidden_verdicts(actor: Actor, sample_ids: Iterable[Any]) -> set[UUID]:
    """Return those of the samples whose verdict is hidden from the actor; at most two queries."""
    hidden = hidden_from(actor)
    return hidden.among(sample_ids) if hidden else set()
