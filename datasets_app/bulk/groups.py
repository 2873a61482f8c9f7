"""A bulk action's samples, group by group, in the order of their numbers (datasets_app.db.facet_index).

Which samples those are is found once, so that a search is not run again for every group, and no verb can take samples
out of its own filter before it has met them. Numbers that follow each other lie in one block of the counts: each group
changes one of these blocks, or two, however many rows there are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import Sets, numbered
from datasets_app.db.facet_index import read
from datasets_app.models import BulkAction, BulkChange, Sample
from datasets_app.models.querysets import SampleQuerySet

NUMBER = "SELECT number FROM concur_sample_number n WHERE n.sample_id = datasets_app_sample.id"


@dataclass(frozen=True)
class Group:
    """`numbers` also has those of samples that are not there any more, or came in too late."""

    ids: list[UUID]
    numbers: array[int]

    @property
    def last_number(self) -> int:
        return self.numbers[-1]


def groups(bulk: BulkAction, numbers: array[int], size: int) -> Iterator[Group]:
    """From where the action stands on."""
    for start in range(bisect_right(numbers, bulk.last_number), len(numbers), size):
        part = numbers[start : start + size]
        if ids := ids_of(bulk, part):
            yield Group(ids, part)


def numbers_of(bulk: BulkAction) -> array[int]:
    """Eight bytes a sample, ascending."""
    if bulk.undoes is not None:
        changed = BulkChange.objects.filter(bulk=bulk.undoes)
        return listed(Sample.objects.filter(pk__in=changed.values_list("sample")).order_by())
    if bulk.ids is not None:
        return listed(Sample.objects.filter(pk__in=bulk.ids).order_by())
    return numbers_matching(BrowseFilter.from_querystring(bulk.query))


def numbers_matching(chosen: BrowseFilter) -> array[int]:
    """From the bits where they have the whole answer, else from the rows."""
    sets = Sets(chosen, read())
    matching = sets.matching()
    if sets.cut_short or sets.reading.behind:
        return listed(chosen.queryset())
    return array("q", sorted(sets.reading.numbers(matching)))


def listed(rows: SampleQuerySet) -> array[int]:
    numbers = rows.annotate(number=number()).values_list("number", flat=True)
    return array("q", sorted(one for one in numbers.iterator() if one is not None))


def number() -> RawSQL:
    return RawSQL(NUMBER, [], output_field=BigIntegerField())  # noqa: S611  a constant


def ids_of(bulk: BulkAction, numbers: array[int]) -> list[UUID]:
    """Those that are there still. Samples that came in after it was asked for are left alone: it named a count."""
    rows = numbered(numbers)
    if bulk.undoes is None and bulk.ids is None:
        rows = rows.filter(created_at__lte=bulk.created_at)
    return list(rows.annotate(number=number()).order_by("number").values_list("pk", flat=True))
