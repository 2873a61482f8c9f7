"""A page of the samples that a filter matches, in the order of an amount: found by its digits, however deep they lie.

The bits name a few candidates, none of the page's rows left out; the database puts those in their order.
"""

from __future__ import annotations

from uuid import UUID

from datasets_app.browse.list.sorting import Cursor, Sort
from datasets_app.browse.query.open_fields import LARGEST_INTEGER
from datasets_app.browse.query.sets import FEW, Sets, numbered
from datasets_app.db.facet_index.extremes import first, minus, parted, with_number
from datasets_app.db.facet_index.facets import numeric_facet
from datasets_app.db.facet_index.sets import Selection, either, size


def ids_in_order(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> list[UUID] | None:
    """The first `wanted` ids from the cursor on, in its direction; None where the order is not that of an amount,
    or too many samples are level in it."""
    found = candidates(sets, sort, cursor, wanted)
    if found is None or size(found) > FEW:
        return None
    rows = sort.prepared(numbered(sets.reading.numbers(found)))
    backwards = cursor is not None and cursor.backwards
    if cursor is not None:
        rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
    return list(sort.apply(rows, backwards=backwards).values_list("pk", flat=True)[:wanted])


def candidates(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> Selection | None:
    """Samples among which the page lies; None where digits do not tell."""
    matching = sets.matching()
    if not sort.amount or not could_be_stored(cursor) or sets.cut_short:
        return None
    backwards = cursor is not None and cursor.backwards
    descending = sort.descending != backwards
    ranked = with_number(sets.reading, sort.amount, sort.comparable(sets.reading, matching))
    without = minus(matching, ranked)  # the last ones in either direction
    level, beyond = level_and_beyond(sets, sort, cursor, ranked, without)
    ahead = first(sets.reading, sort.amount, beyond, wanted, descending=descending)
    if size(ahead) < wanted and not backwards:
        ahead = either(ahead, without)
    return either(level, ahead)


def could_be_stored(cursor: Cursor | None) -> bool:
    """Whether a sample could have the cursor's value: one that was made up may be any number."""
    value = cursor.value if cursor else None
    return not isinstance(value, int | float) or 0 <= value <= LARGEST_INTEGER


def level_and_beyond(
    sets: Sets, sort: Sort, cursor: Cursor | None, ranked: Selection, without: Selection
) -> tuple[Selection, Selection]:
    """Of the matching samples those that have the cursor's amount, and those among which the next ones are."""
    if cursor is None:
        return {}, ranked
    if cursor.value is None:
        return without, ranked if cursor.backwards else {}
    bound = numeric_facet(sort.amount).number(cursor.value)
    above, level, below = parted(sets.reading, sort.amount, ranked, bound)
    return level, above if sort.descending == cursor.backwards else below
