"""Pages of a filter's samples in the order of a numeric facet, found by its digits at any depth of the list.

The bits yield a few candidates that include all rows of the page; the database sorts those.
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
    """Return the first `wanted` ids from the cursor on, in its direction; None if the order is not that of a numeric
    facet, or too many samples have equal values.
    """
    chosen = candidates(sets, sort, cursor, wanted)
    if chosen is None or size(chosen) > FEW:
        return None
    rows = sort.prepared(numbered(sets.reading.numbers(chosen)))
    backwards = cursor is not None and cursor.backwards
    if cursor is not None:
        rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
    return list(sort.apply(rows, backwards=backwards).values_list("pk", flat=True)[:wanted])


def candidates(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> Selection | None:
    """Return samples that include those of the page; None if digits do not determine them."""
    matching = sets.matching()
    if not sort.facet or not could_be_stored(cursor) or sets.cut_short:
        return None
    backwards = cursor is not None and cursor.backwards
    descending = sort.descending != backwards
    ranked = with_number(sets.reading, sort.facet, sort.comparable(sets.reading, matching))
    without = minus(matching, ranked)  # the last ones in either direction
    level, beyond = level_and_beyond(sets, sort, cursor, ranked, without)
    ahead = first(sets.reading, sort.facet, beyond, wanted, descending=descending)
    if size(ahead) < wanted and not backwards:
        ahead = either(ahead, without)
    return either(level, ahead)


def could_be_stored(cursor: Cursor | None) -> bool:
    """Return whether a sample could have the cursor's value: a forged cursor may hold any number."""
    value = cursor.value if cursor else None
    return not isinstance(value, int | float) or 0 <= value <= LARGEST_INTEGER


def level_and_beyond(
    sets: Sets, sort: Sort, cursor: Cursor | None, ranked: Selection, without: Selection
) -> tuple[Selection, Selection]:
    """Return the matching samples with the cursor's value, and those among which the next ones are."""
    if cursor is None:
        return {}, ranked
    if cursor.value is None:
        return without, ranked if cursor.backwards else {}
    bound = numeric_facet(sort.facet).number(cursor.value)
    above, level, below = parted(sets.reading, sort.facet, ranked, bound)
    return level, above if sort.descending == cursor.backwards else below
