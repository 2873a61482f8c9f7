"""Pages of a filter's samples in an order that has no bits.

If many samples match, walking the list in its order meets enough of them soon; the bits tell whether a row matches.
This avoids a query with ten conditions over a million rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db.models.expressions import RawSQL

from datasets_app.browse.list.sorting import Cursor, Sort
from datasets_app.browse.query.sets import FEW, Sets
from datasets_app.db.facet_index.reading import LIVE
from datasets_app.db.facet_index.sets import BLOCK_BYTES, BLOCK_ROWS, Selection, size
from datasets_app.models import Sample

MOST_WALKED = (
    60_000  # rows that are walked for one page at most; after that the database searches for the rest
)
LARGEST_STEP = 8000
NUMBER = "SELECT number FROM concur_sample_number WHERE sample_id = datasets_app_sample.id"


def ids_on_a_walk(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> list[UUID] | None:
    """Return the first `wanted` ids from the cursor on, in its direction; None if a walk would not find them."""
    matching = sets.matching()
    count = size(matching)
    if count <= FEW or sets.cut_short:
        return None
    # One step, if matches are evenly spread.
    step = int(1.5 * wanted * size(sets.reading.everything) / count) + 100
    belongs = Belongs(sets, matching)
    ids: list[UUID] = []
    for pk, number in walk(sort, cursor, step):
        if number in belongs:
            ids.append(pk)
            if len(ids) == wanted:
                return ids
    return ids if belongs.asked < MOST_WALKED else None


def walk(sort: Sort, cursor: Cursor | None, step: int) -> Iterator[tuple[UUID, int]]:
    """Yield ids and numbers of all samples from the cursor on, at most MOST_WALKED of them."""
    met, backwards = 0, cursor is not None and cursor.backwards
    while met < MOST_WALKED:
        step = min(step, LARGEST_STEP)
        rows = Sample.objects.order_by()
        if cursor is not None:
            rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
        rows = rows.annotate(number=RawSQL(NUMBER, []))  # noqa: S611
        chunk = list(sort.apply(rows, backwards=backwards).values_list("pk", "number", sort.field)[:step])
        yield from ((pk, number) for pk, number, _ in chunk)
        if len(chunk) < step:
            return
        cursor = Cursor(chunk[-1][2], chunk[-1][0], backwards)
        met, step = met + len(chunk), step * 4


class Belongs:
    """Tests whether a sample's number is in a selection; counts the tests."""

    def __init__(self, sets: Sets, selection: Selection) -> None:
        self.live = sets.reading.live_places
        self.blocks = {block: bits.to_bytes(BLOCK_BYTES, "little") for block, bits in selection.items()}
        self.asked = 0

    def __contains__(self, number: int) -> bool:
        self.asked += 1
        block, at = divmod(number, BLOCK_ROWS)
        if number in self.live:
            block, at = LIVE, self.live[number]
        flags = self.blocks.get(block)
        return flags is not None and bool(flags[at >> 3] >> (at & 7) & 1)
