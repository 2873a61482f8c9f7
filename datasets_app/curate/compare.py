"""Two recipes side by side: both funnels, and how far what they choose is the same."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.curate.definition import Definition
from datasets_app.curate.selection import Chosen, Selection
from datasets_app.curate.store import FINGERPRINTS_ON_A_PAGE, select

SHOWN = 10


@dataclass
class Apart:
    """A row that one recipe chooses and the other drops, and why the other drops it."""

    chosen: Chosen
    why: str


@dataclass
class Comparison:
    one: Selection
    other: Selection
    both: int
    both_tasks: int
    other_split: int  # rows that both choose, into different splits
    only_one: list[Apart]
    only_other: list[Apart]

    @property
    def only_one_count(self) -> int:
        return len(self.one.chosen) - self.both

    @property
    def only_other_count(self) -> int:
        return len(self.other.chosen) - self.both


def compare(first: Definition, second: Definition) -> Comparison:
    """Selects twice from the store, so that each knows what became of the rows that the other chose."""
    one = select(first, fingerprint_limit=FINGERPRINTS_ON_A_PAGE)
    other = select(second, watched=ids(one), fingerprint_limit=0)
    one_again = select(first, watched=ids(other), fingerprint_limit=0)
    splits = {chosen.row.id: chosen.split for chosen in other.chosen}
    shared = [chosen for chosen in one.chosen if chosen.row.id in splits]
    return Comparison(
        one=one,
        other=other,
        both=len(shared),
        both_tasks=len({chosen.row.task for chosen in shared}),
        other_split=sum(chosen.split != splits[chosen.row.id] for chosen in shared),
        only_one=apart(one, other),
        only_other=apart(other, one_again),
    )


def ids(selection: Selection) -> set[str]:
    return {chosen.row.id for chosen in selection.chosen}


def apart(mine: Selection, theirs: Selection) -> list[Apart]:
    taken = ids(theirs)
    rows = [chosen for chosen in mine.chosen if chosen.row.id not in taken]
    return [Apart(chosen, theirs.fates.get(chosen.row.id, "")) for chosen in rows[:SHOWN]]
