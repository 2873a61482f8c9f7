"""Exact counts for any filter over a million samples within milliseconds: one bit per sample for each facet value.

Every sample has a number. A block holds the bits of 32,768 numbers: one integer for each value of each facet, and one
for each binary digit of each numeric facet. Filters are ANDs and ORs of integers; a count is a number of ones.

Blocks are stored in the database and maintained like a log. Triggers record the number of every sample that changes, in
the transaction that changes it (a dirty row). compact() merges dirty rows into the blocks. A reader takes the blocks
without the dirty rows and adds those as they are now. Counts are therefore those of the rows themselves, on both
databases and in every process.

`facets` declares what is indexed, `tables` maintains it with triggers, `compaction` merges dirty rows, `reading`
answers queries: `read()` returns a Reading of all samples. A process caches the blocks that it has read until their
version changes. This package imports nothing of the project.
"""

from datasets_app.db.facet_index.compaction import compact, compact_backlog, compact_if_due, rebuild
from datasets_app.db.facet_index.facets import (
    MultiValueFacet,
    NumericFacet,
    SingleValueFacet,
    Touch,
    register,
)
from datasets_app.db.facet_index.reading import Reading, read
from datasets_app.db.facet_index.sets import Selection

__all__ = [
    "MultiValueFacet",
    "NumericFacet",
    "Reading",
    "Selection",
    "SingleValueFacet",
    "Touch",
    "compact",
    "compact_backlog",
    "compact_if_due",
    "read",
    "rebuild",
    "register",
]
