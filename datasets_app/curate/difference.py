"""How a release differs from another: rows added, removed and changed, with the rule or the fact behind each.

Both releases are frozen, so that what differs is exact and never changes. The database compares the rows that both
have; only those that are stored differently are read and compared fact by fact. What is kept of a pair of releases is
four bytes per differing row: its position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import orjson
from django.db.models import Exists, OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate.absence import Absence
from datasets_app.curate.selection import reason_words
from datasets_app.export.columns import FROZEN
from datasets_app.models import Release, ReleaseRow

ROWS_A_PAGE = 100
CHUNK_ROWS = 500
KEPT = 4  # pairs of releases of which this process keeps the positions
ADDED, REMOVED, CHANGED = KINDS = ("added", "removed", "changed")
LONGEST_VALUE = 60  # characters of a value in a sentence
PLACES = {column.name: place for place, column in enumerate(FROZEN)}
COMPARED = ("split", "reason", "snapshot")
TEXTS = ("split", "reason", Cast("snapshot", TextField()))  # orjson reads a text in a third of the time

Facts = dict[str, Any]
Changes = dict[str, tuple[Any, Any]]  # a fact's name to its value before and after


@dataclass(frozen=True)
class DifferentRow:
    """One row that the two releases treat otherwise."""

    sample: str
    task_name: str
    split: str  # in the release that has it; in both: the newer one's
    reason: str  # the rule that chose it there
    generator: str
    speedup: float | None
    trace_tokens: int | None
    why: list[str]
    changes: Changes = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """Counts of all differing rows, and a page of those of one kind."""

    kind: str
    counts: dict[str, int]
    rows: list[DifferentRow]
    offset: int

    @property
    def count(self) -> int:
        return self.counts[self.kind]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def last(self) -> int:
        return self.offset + len(self.rows)

    @property
    def has_more(self) -> bool:
        return self.last < self.count


def difference(
    release: Release,
    other: Release,
    kind: str = "",
    offset: int = 0,
    hidden: HiddenReviews | None = None,
) -> Difference:
    """Return how `release` differs from `other`, the earlier one, with a page of the rows of one kind, by default of
    the first that has any.

    `hidden`: the reviews that the reader may not see, where a recipe says why a row is missing.
    """
    places = positions(release, other)
    kind = kind or next((name for name in KINDS if places[name]), ADDED)
    rows = reader(release, other, kind, hidden)(places[kind][offset : offset + ROWS_A_PAGE])
    return Difference(kind, {name: len(found) for name, found in places.items()}, rows, offset)


def every_row(
    release: Release, other: Release, hidden: HiddenReviews | None = None
) -> Iterator[tuple[str, list[DifferentRow]]]:
    """Yield each kind with its rows, a chunk at a time: no cursor is held while somebody reads them slowly."""
    for kind, places in positions(release, other).items():
        read = reader(release, other, kind, hidden)
        for start in range(0, len(places), CHUNK_ROWS):
            yield kind, read(places[start : start + CHUNK_ROWS])


# --- Which rows differ


def positions(release: Release, other: Release) -> dict[str, array[int]]:
    """Return where the rows of each kind are: in `release`, or in `other` those that were removed."""
    return compared(release.pk, other.pk, release.content_sha256, other.content_sha256)


@lru_cache(KEPT)
def compared(release_id: int, other_id: int, sha256: str, other_sha256: str) -> dict[str, array[int]]:
    """Compare every row. The hashes are a part of the key: a number may be given again."""
    pairs = unlike(release_id, other_id)
    return {
        ADDED: array("I", only_in(release_id, other_id)),
        REMOVED: array("I", only_in(other_id, release_id)),
        CHANGED: array("I", (place for place, before, after in pairs if differ(before, after))),
    }


def only_in(release_id: int, other_id: int) -> Iterator[int]:
    theirs = ReleaseRow.objects.filter(release_id=other_id, sample=OuterRef("sample")).order_by()
    rows = ReleaseRow.objects.filter(release_id=release_id).order_by()
    # Counted by indexes alone; positions are read from the rows.
    if rows.filter(Exists(theirs)).count() < rows.count():
        missing = rows.filter(~Exists(theirs)).order_by("position")
        yield from missing.values_list("position", flat=True).iterator(CHUNK_ROWS)


def unlike(release_id: int, other_id: int) -> Iterator[tuple[int, Facts, Facts]]:
    """Yield the rows that both releases have and store differently: the position, what is stored before and after."""
    theirs = ReleaseRow.objects.filter(release_id=other_id, sample=OuterRef("sample")).order_by()
    otherwise = theirs.exclude(**{name: OuterRef(name) for name in COMPARED})
    mine = ReleaseRow.objects.filter(Exists(otherwise), release_id=release_id).order_by("position")
    before = (Subquery(theirs.values_list(value)) for value in TEXTS)
    for place, *values in mine.values_list("position", *TEXTS, *before).iterator(CHUNK_ROWS):
        split, reason, snapshot, old_split, old_reason, old_snapshot = values
        yield (
            place,
            facts(old_split, old_reason, orjson.loads(old_snapshot)),
            facts(split, reason, orjson.loads(snapshot)),
        )


def facts(split: str, reason: str, snapshot: Facts) -> Facts:
    """Return everything that is frozen of a row."""
    return {"split": split, "chosen by": reason_words(reason), **snapshot}


def differ(before: Facts, after: Facts) -> bool:
    """Return whether a value differs. A column that only one of the two has, without a value, is no difference."""
    return any(before.get(name) != value for name, value in after.items()) or any(
        value is not None and name not in after for name, value in before.items()
    )


def changes_of(before: Facts, after: Facts) -> Changes:
    """Return what changed, in the order of the columns: a database may not keep that of keys."""
    names = sorted({*before, *after}, key=lambda name: (PLACES.get(name, -1), name))
    both = {name: (before.get(name), after.get(name)) for name in names}
    return {name: values for name, values in both.items() if values[0] != values[1]}


# --- What is said of them


def reader(
    release: Release, other: Release, kind: str, hidden: HiddenReviews | None
) -> Callable[[Sequence[int]], list[DifferentRow]]:
    """Return the function that reads rows of one kind by their positions."""
    if kind == CHANGED:
        return partial(changed_at, release, other)
    holder, lacking = (release, other) if kind == ADDED else (other, release)
    return partial(absent_at, holder, Absence(lacking, holder, hidden))


def absent_at(holder: Release, absence: Absence, places: Sequence[int]) -> list[DifferentRow]:
    rows = list(rows_at(holder, places).select_related("sample"))
    return [described(row, why) for row, why in zip(rows, absence.reasons(rows), strict=True)]


def changed_at(release: Release, other: Release, places: Sequence[int]) -> list[DifferentRow]:
    rows = list(rows_at(release, places))
    theirs = other.rows.filter(sample__in=[row.sample_id for row in rows])
    before = {row.sample_id: facts_of(row) for row in theirs}
    changed = [(row, changes_of(before[row.sample_id], facts_of(row))) for row in rows]
    return [described(row, sentences(changes), changes) for row, changes in changed]


def rows_at(release: Release, places: Sequence[int]) -> QuerySet[ReleaseRow]:
    return release.rows.filter(position__in=list(places)).order_by("position")


def facts_of(row: ReleaseRow) -> Facts:
    return facts(row.split, row.reason, row.snapshot)


def described(row: ReleaseRow, why: list[str], changes: Changes | None = None) -> DifferentRow:
    known = row.snapshot
    return DifferentRow(
        sample=str(row.sample_id),
        task_name=known.get("problem_name") or "",
        split=row.split,
        reason=row.reason,
        generator=known.get("generator") or "",
        speedup=known.get("speedup_over_eager"),
        trace_tokens=known.get("trace_tokens"),
        why=why,
        changes=changes or {},
    )


def sentences(changes: Changes) -> list[str]:
    return [f"{name}: {worded(old)} → {worded(new)}" for name, (old, new) in changes.items()]


def worded(value: Any) -> str:
    if value is None or value == "":
        return "none"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
