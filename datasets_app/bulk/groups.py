"""Splits a bulk action's samples into groups, in the order of their numbers (datasets_app.db.facet_index).

The samples are determined once, so that a search is not repeated for every group, and no verb can remove samples from
its own filter before it has processed them. Consecutive numbers are in one block of the facet index: each group changes
one or two blocks, however many rows there are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

from datasets_app.accounts.actor import account
from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import Sets, numbered
from datasets_app.db.facet_index import read
from datasets_app.models import BulkAction, BulkChange, Sample
from datasets_app.models.sample import SampleQuerySet

NUMBER = "SELECT number FROM concur_sample_number n WHERE n.sample_id = datasets_app_sample.id"


@dataclass(frozen=True)
class Group:
    """A group of samples. `numbers` may include those of deleted and of later samples."""

    ids: list[UUID]
    numbers: array[int]

    @property
    def last_number(self) -> int:
        return self.numbers[-1]


def groups(bulk: BulkAction, numbers: array[int], size: int) -> Iterator[Group]:
    """Yield the groups that the action has not processed yet."""
    for start in range(bisect_right(numbers, bulk.last_number), len(numbers), size):
        part = numbers[start : start + size]
        if ids := ids_of(bulk, part):
            yield Group(ids, part)


def numbers_of(bulk: BulkAction) -> array[int]:
    """Return the numbers as eight bytes each, ascending."""
    if bulk.undoes is not None:
        changed = BulkChange.objects.filter(bulk=bulk.undoes)
        return listed(Sample.objects.filter(pk__in=changed.values_list("sample")).order_by())
    if bulk.ids is not None:
        return listed(Sample.objects.filter(pk__in=bulk.ids).order_by())
    chosen = BrowseFilter.from_querystring(bulk.query)
    return numbers_matching(chosen.read_by(account(bulk.actor)))


def numbers_matching(chosen: BrowseFilter) -> array[int]:
    """Return the numbers from the facet index if it has the whole answer, else from the rows."""
    sets = Sets(chosen, read())
    matching = sets.matching()
    if sets.cut_short or sets.reading.behind:
        return listed(chosen.queryset())
    return array("q", sorted(sets.reading.numbers(matching)))


def listed(rows: SampleQuerySet) -> array[int]:
    numbers = rows.annotate(number=number()).values_list("number", flat=True)
    return array("q", sorted(number for number in numbers.iterator() if number is not None))


def number() -> RawSQL:
    return RawSQL(NUMBER, [], output_field=BigIntegerField())  # noqa: S611  a constant


def ids_of(bulk: BulkAction, numbers: array[int]) -> list[UUID]:
    """Return the existing samples, without those stored after the request: it named a count."""
    rows = numbered(numbers)
    if bulk.undoes is None and bulk.ids is None:
        rows = rows.filter(created_at__lte=bulk.created_at)
    return list(rows.annotate(number=number()).order_by("number").values_list("pk", flat=True))
