"""The rule of blind review for sets of samples: what a person may learn of reviews that are hidden from them.

A sample whose reviews are hidden counts as an unreviewed one, for everything that is asked of many samples: filters,
facet counts, completions, orders, histograms and exports. It therefore matches `verdict:none` and `-verdict:accept`,
and neither `verdict:accept` nor `votes:>=1`. A filter carries its reader (BrowseFilter.hidden), so that whatever is
derived from it obeys the rule; `datasets_app.review.blind` answers for single samples.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import OuterRef, Q, QuerySet, Subquery

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.fields import NONE, Field, Values
from datasets_app.browse.query.open_fields import BoundField
from datasets_app.db.facet_index import Reading, Selection, read
from datasets_app.db.facet_index.extremes import minus
from datasets_app.db.facet_index.numbers import numbers_among
from datasets_app.db.facet_index.sets import both, size
from datasets_app.models import QueueItem, Review, ReviewQueue

# What facets store for a sample without a review.
UNREVIEWED = {"verdict": "", "review": "unreviewed"}
REMEMBERED = 8


@dataclass(frozen=True)
class HiddenReviews:
    """The samples whose reviews one person may not see until their own: those of blind queues, or all."""

    reviewer: Any  # the account's id, or None
    everywhere: bool  # the whole site is blind

    def own(self) -> QuerySet[Review]:
        return Review.objects.standing().filter(reviewer=self.reviewer).order_by()

    def condition(self) -> Q:
        """Return the condition on samples."""
        judged = Q(pk__in=self.own().values("sample"))
        return ~judged if self.everywhere else Q(pk__in=in_blind_queues().values("sample")) & ~judged

    def narrowed(self, part: Field, values: Values) -> Q:
        """Return the condition of a filter on reviews, as it answers this person."""
        return reduce(or_, (self.narrowed_to(part, value) for value in values))

    def narrowed_to(self, part: Field, value: str) -> Q:
        stored, unreviewed = part.condition((value,)), of_unreviewed(part, value)
        if unreviewed is None:
            return stored
        return stored | self.condition() if unreviewed else stored & ~self.condition()

    def among(self, sample_ids: Iterable[Any]) -> set[UUID]:
        """Return those of the samples whose reviews are hidden; at most two queries."""
        ids = list(sample_ids)
        if ids and not self.everywhere:
            ids = list(in_blind_queues().filter(sample__in=ids).values_list("sample", flat=True))
        judged = self.own().filter(sample__in=ids).values_list("sample", flat=True) if ids else ()
        return set(ids) - set(judged)

    def selection(self, reading: Reading) -> Selection:
        """Return all of them; one small query while no queue is blind, else at most three."""
        blind = reading.everything if self.everywhere else blind_samples(reading)
        if not any(blind.values()):
            return {}
        judged = reading.of_numbers(numbers_among(self.own().values("sample_id")))
        return minus(both(reading.everything, blind), judged)


def hidden_from(actor: Actor) -> HiddenReviews | None:
    """Return what is hidden from the actor; None for curators, who see all reviews."""
    if actor.may(Scope.CURATE):
        return None
    return HiddenReviews(actor.user.pk if actor.user else None, settings.REVIEW_BLIND)


def count_hidden(actor: Actor) -> int:
    """Return the number of samples whose reviews are hidden from the actor."""
    hidden = hidden_from(actor)
    return size(hidden.selection(read())) if hidden else 0


def in_blind_queues() -> QuerySet[QueueItem]:
    return QueueItem.objects.filter(is_open=True, queue__blind=True).order_by()


def is_about_reviews(part: Field) -> bool:
    return part.name in UNREVIEWED or part.group in {"votes", "agreement"}


def of_unreviewed(part: Field, value: str) -> bool | None:
    """Return whether a sample without reviews has this value; None if the value says nothing about its reviews."""
    if part.name == "verdict":
        return value == NONE
    if part.name == "review":
        return None if value == "open" else value == "unreviewed"
    if isinstance(part, BoundField) and part.group == "votes":
        strict, number = part.value(value)
        return not strict and not number if part.is_min else not strict or number > 0
    return False if isinstance(part, BoundField) and part.group == "agreement" else None


# --- The samples of blind queues, which change when a queue opens or closes -------------------------------

_cache: OrderedDict[Hashable, Selection] = OrderedDict()
_lock = threading.Lock()


def blind_samples(reading: Reading) -> Selection:
    """Return the samples of open blind queues; cached until a sample or one of these queues changes, or gets more."""
    last = QueueItem.objects.filter(queue=OuterRef("pk")).order_by("-position").values("position")[:1]
    queues = ReviewQueue.objects.open().filter(blind=True).order_by("pk")
    held = tuple(queues.values_list("pk", "version", Subquery(last)))  # samples that are added come last
    if not held:
        return {}
    key = (reading.moment, held)
    with _lock:
        if key in _cache:
            return _cache[key]
    blind = reading.of_numbers(numbers_among(in_blind_queues().values("sample_id")))
    with _lock:
        _cache[key] = blind
        while len(_cache) > REMEMBERED:
            _cache.popitem(last=False)
    return blind
