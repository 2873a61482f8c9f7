"""Exact counts of any filter over a million samples in milliseconds: a bit a sample for every value of a facet.

Every sample has a number. A block holds the bits of 32,768 numbers: one integer for each value of each facet, and
one for each binary digit of each amount. Filters are ANDs and ORs of integers; a count is the number of ones.

Blocks lie in the database and are kept like a log: triggers mark the number of every sample that changes, in the
transaction that changes it; fold() works marks into the blocks; a reader takes the blocks without the marked rows
and adds those as they stand now. So counts are those of the rows themselves, on both databases and from any process.

`facets` says what is held (one registration each), `tables` keeps it by triggers, `folding` works marks in, `reading`
answers. A process keeps the blocks that it has read until their version changes.
"""

from datasets_app.db.facet_index.compaction import fold, fold_if_many, fold_what_waits, rebuild
from datasets_app.db.facet_index.facets import Amount, Column, Many, Touch, register
from datasets_app.db.facet_index.reading import Reading, read
from datasets_app.db.facet_index.sets import Selection

__all__ = [
    "Amount",
    "Column",
    "Many",
    "Reading",
    "Selection",
    "Touch",
    "fold",
    "fold_if_many",
    "fold_what_waits",
    "read",
    "rebuild",
    "register",
]
