"""How a release differs from another: rows added, removed and changed, with the rule or the fact behind each.

Both releases are frozen, so that what differs is exact. Why a row is missing from one of them is known from its dates
(it was stored, or verified, after that release was frozen) or else from the release's recipe, applied to what is stored
now: the facts of rows that a release did not choose are not frozen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet

from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.preview import preview
from datasets_app.curate.selection import reason_words
from datasets_app.export.columns import FROZEN
from datasets_app.models import Release, ReleaseRow

ROWS_A_PAGE = 100
MOST_COMPARED = 20_000  # rows of both releases, whose facts are compared
CHUNK_ROWS = 500
KEPT = 16  # pairs of releases whose changed rows this process keeps
MOST_ROWS_JUDGED = 20_000  # as for a comparison of recipes
KINDS = ("added", "removed", "changed")
LONGEST_VALUE = 60  # characters of a value in a sentence
PLACES = {column.name: place for place, column in enumerate(FROZEN)}

STORED_LATER = "stored on {date:%Y-%m-%d %H:%M}, after {release} was frozen"
VERIFIED_LATER = "its evidence is of {date}, after {release} was frozen"
DROPPED = "the recipe of {release} drops it: {fate}"
CHOSEN_NOW = (
    "the recipe of {release} would choose it now: its facts, or its task's samples, have changed since"
)
NOT_JUDGED = (
    "the store is too large to judge it on a page; manage.py release rebuild {release} --check says why"
)
UNREADABLE = "the recipe of {release} has a rule that this version of the site does not know"


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


@dataclass(frozen=True)
class Difference:
    """Counts of all differing rows, and a page of those of one kind."""

    kind: str
    counts: dict[str, int]
    rows: list[DifferentRow]
    offset: int
    is_partial: bool  # only the first MOST_COMPARED rows that are in both were compared

    @property
    def has_more(self) -> bool:
        return self.offset + len(self.rows) < self.counts[self.kind]


def difference(release: Release, other: Release, kind: str = "added", offset: int = 0) -> Difference:
    """Return how `release` differs from `other`, the earlier one, with a page of the rows of one kind."""
    added, removed = only_in(release, other), only_in(other, release)
    changed, is_partial = changed_rows(release.pk, other.pk, release.content_sha256, other.content_sha256)
    counts = {"added": added.count(), "removed": removed.count(), "changed": len(changed)}
    if kind == "changed":
        rows = list(changed[offset : offset + ROWS_A_PAGE])
    elif kind == "removed":
        rows = absent(removed[offset : offset + ROWS_A_PAGE], release)
    else:
        rows = absent(added[offset : offset + ROWS_A_PAGE], other)
    return Difference(kind, counts, rows, offset, is_partial)


def only_in(release: Release, other: Release) -> QuerySet[ReleaseRow]:
    """Return the rows of `release` whose samples `other` does not have."""
    missing = release.rows.exclude(sample__in=other.rows.order_by().values("sample"))
    return missing.order_by("position").select_related("sample")


def absent(rows: Iterable[ReleaseRow], lacking: Release) -> list[DifferentRow]:
    """Return the rows with why `lacking` does not have them."""
    rows = list(rows)
    frozen_at = lacking.started_at or lacking.created_at
    unknown = [row for row in rows if not later(row, lacking, frozen_at)]
    fates = judged(lacking, {str(row.sample_id) for row in unknown}) if unknown else {}
    return [described(row, later(row, lacking, frozen_at) or [fates[str(row.sample_id)]]) for row in rows]


def later(row: ReleaseRow, lacking: Release, frozen_at: datetime) -> list[str]:
    """Return the facts of the row that are younger than the release that lacks it."""
    if row.sample.created_at > frozen_at:
        return [STORED_LATER.format(date=row.sample.created_at, release=lacking.name)]
    verified_at = row.snapshot.get("verified_at")
    if verified_at and datetime.fromisoformat(verified_at) > frozen_at:
        return [VERIFIED_LATER.format(date=verified_at[:16].replace("T", " "), release=lacking.name)]
    return []


def judged(release: Release, sample_ids: set[str]) -> dict[str, str]:
    """Return what the release's recipe says of these samples now."""
    try:
        definition = replace(parse(release.definition), device=release.device)
    except RecipeError:
        return dict.fromkeys(sample_ids, UNREADABLE.format(release=release.name))
    now = preview(definition, MOST_ROWS_JUDGED, watched=sample_ids)
    chosen = {choice.row.id for choice in now.selection.chosen}
    return {pk: fate(release, pk in chosen, now.selection.fates.get(pk, "")) for pk in sample_ids}


def fate(release: Release, is_chosen: bool, dropped: str) -> str:
    if dropped:
        return DROPPED.format(release=release.name, fate=dropped)
    return (CHOSEN_NOW if is_chosen else NOT_JUDGED).format(release=release.name)


def described(row: ReleaseRow, why: list[str]) -> DifferentRow:
    facts = row.snapshot
    return DifferentRow(
        sample=str(row.sample_id),
        task_name=facts.get("problem_name") or "",
        split=row.split,
        reason=row.reason,
        generator=facts.get("generator") or "",
        speedup=facts.get("speedup_over_eager"),
        trace_tokens=facts.get("trace_tokens"),
        why=why,
    )


@lru_cache(KEPT)
def changed_rows(
    release_id: int, other_id: int, sha256: str, other_sha256: str
) -> tuple[tuple[DifferentRow, ...], bool]:
    """Return the rows of both releases whose split, rule or facts differ, and whether more were not compared.

    The hashes are a part of the key: a number may be given again.
    """
    both = ReleaseRow.objects.filter(
        release_id=release_id,
        sample__in=ReleaseRow.objects.filter(release_id=other_id).order_by().values("sample"),
    ).order_by("position")
    found: list[DifferentRow] = []
    for start in range(0, MOST_COMPARED, CHUNK_ROWS):
        batch = list(both[start : start + CHUNK_ROWS])
        found += changed_in(batch, other_id)
        if len(batch) < CHUNK_ROWS:
            return tuple(found), False
    return tuple(found), both[MOST_COMPARED : MOST_COMPARED + 1].exists()


def changed_in(batch: list[ReleaseRow], other_id: int) -> list[DifferentRow]:
    samples = [row.sample_id for row in batch]
    before = {
        row.sample_id: row for row in ReleaseRow.objects.filter(release_id=other_id, sample__in=samples)
    }
    changes = ((row, changes_of(before[row.sample_id], row)) for row in batch)
    return [described(row, why) for row, why in changes if why]


def changes_of(before: ReleaseRow, after: ReleaseRow) -> list[str]:
    """Return a sentence per fact that changed, in the order of the columns: a database may not keep that of keys."""
    old, new = (
        {"split": row.split, "chosen by": reason_words(row.reason), **row.snapshot} for row in (before, after)
    )
    names = sorted({*old, *new}, key=lambda name: (PLACES.get(name, -1), name))
    return [
        f"{name}: {worded(old.get(name))} → {worded(new.get(name))}"
        for name in names
        if old.get(name) != new.get(name)
    ]


def worded(value: Any) -> str:
    if value is None or value == "":
        return "none"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
