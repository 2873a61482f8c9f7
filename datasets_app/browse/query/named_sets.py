"""Samples found by one SELECT of their numbers, for parts of a filter without bits; cached until a sample changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from django.core.exceptions import EmptyResultSet
from django.db.models import Q

from datasets_app.browse.query.fields import Field, Values
from datasets_app.browse.query.open_fields import SearchField
from datasets_app.db.facet_index import Reading, Selection
from datasets_app.db.facet_index.numbers import numbers_among
from datasets_app.db.text_index import pending
from datasets_app.models import Sample

REMEMBERED = 64


@dataclass(frozen=True)
class Bounds:
    """Limits for a part of a filter that has no bits."""

    numbers: int  # of samples; beyond, counts are "more than"
    seconds: float  # after which a search counts what it has found so far, and reports that


@dataclass(frozen=True)
class Named:
    """Samples found by a SELECT. `cut_short`: there are more."""

    samples: Selection
    cut_short: bool


class NamedSets:
    """A cache of the latest ones. A key contains the moment of its reading and the number of texts that were not
    indexed then, so that no change is overlooked; while that number is too large to be counted, nothing is cached.
    """

    def __init__(self) -> None:
        self.cache: OrderedDict[Hashable, Named] = OrderedDict()
        self.lock = threading.Lock()

    def get(
        self,
        reading: Reading,
        part: Field,
        values: Values,
        bounds: Bounds,
        condition: Q,
        unindexed: int = 0,
    ) -> Named:
        if not isinstance(part, SearchField):  # it may read other tables, and the time
            return self.named(reading, numbers_of(condition, bounds.numbers + 1), bounds)
        key = (reading.moment, unindexed, part.name, values, bounds)
        if (named := self.cache.get(key)) is None:
            numbers, complete = part.numbers(values, bounds.numbers + 1, bounds.seconds)
            named = self.named(reading, numbers, bounds, complete)
            if unindexed >= pending.MOST_SHOWN:
                return named
            with self.lock:
                self.cache[key] = named
                while len(self.cache) > REMEMBERED:
                    self.cache.popitem(last=False)
        return named

    @staticmethod
    def named(reading: Reading, numbers: list[int], bounds: Bounds, complete: bool = True) -> Named:
        return Named(reading.of_numbers(numbers), not complete or len(numbers) > bounds.numbers)


NUMBERED = NamedSets()


def numbers_of(condition: Q, most: int) -> list[int]:
    try:
        return numbers_among(Sample.objects.order_by().filter(condition).values("pk"), most)
    except EmptyResultSet:
        return []
