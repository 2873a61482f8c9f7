"""Two recipes side by side: both funnels, and how far what they choose is the same.

Bounded as the composer's preview is: in a large store both recipes judge all samples of the same tasks, and counts are
scaled up.
"""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate.definition import Definition
from datasets_app.curate.preview import Preview, preview
from datasets_app.curate.selection import Chosen, Selection

MOST_ROWS = 20_000  # a comparison applies recipes three times; a preview once, to twice as many
SHOWN = 10


@dataclass
class Apart:
    """A row that one recipe chooses and the other drops, and why the other drops it."""

    chosen: Chosen
    why: str


@dataclass
class Comparison:
    """Counts are of the whole store: estimates, where the previews are."""

    one: Preview
    other: Preview
    both: int
    both_tasks: int
    other_split: int  # rows that both choose, into different splits
    only_one_count: int
    only_other_count: int
    only_one: list[Apart]
    only_other: list[Apart]


def compare(first: Definition, second: Definition, hidden: HiddenReviews | None = None) -> Comparison:
    """Apply the first recipe a second time, so that each knows why it drops the rows that the other chooses."""
    one = preview(first, MOST_ROWS, hidden=hidden)
    other = preview(second, MOST_ROWS, watched=ids(one.selection), hidden=hidden)
    one_again = preview(first, MOST_ROWS, watched=ids(other.selection), hidden=hidden)
    splits = {chosen.row.id: chosen.split for chosen in other.selection.chosen}
    shared = [chosen for chosen in one.selection.chosen if chosen.row.id in splits]
    return Comparison(
        one=one,
        other=other,
        both=one.scaled(len(shared)),
        both_tasks=one.scaled(len({chosen.row.task for chosen in shared})),
        other_split=one.scaled(sum(chosen.split != splits[chosen.row.id] for chosen in shared)),
        only_one_count=one.scaled(len(one.selection.chosen) - len(shared)),
        only_other_count=other.scaled(len(other.selection.chosen) - len(shared)),
        only_one=apart(one.selection, other.selection),
        only_other=apart(other.selection, one_again.selection),
    )


def ids(selection: Selection) -> set[str]:
    return {chosen.row.id for chosen in selection.chosen}


def apart(mine: Selection, theirs: Selection) -> list[Apart]:
    taken = ids(theirs)
    rows = [chosen for chosen in mine.chosen if chosen.row.id not in taken]
    return [Apart(chosen, theirs.fates.get(chosen.row.id, "")) for chosen in rows[:SHOWN]]
