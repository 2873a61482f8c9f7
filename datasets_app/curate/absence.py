"""Why a release lacks a row that another one has.

It is known from the row's dates (it was stored, or verified, after the release was frozen), or else from the release's
recipe, applied to what is stored now: the facts of rows that a release did not choose are not frozen. In a large store
only the recipe's first rules are applied, those that judge a row by itself or beside its own task's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import takewhile

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate import store
from datasets_app.curate.definition import ALL_TRAIN, Definition, RecipeError, parse
from datasets_app.curate.device import on_its_device
from datasets_app.curate.rule import Context, RowRule, Rule, TaskRule
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Release, ReleaseRow, Sample

MOST_ROWS_JUDGED = 20_000  # as for a comparison of recipes

STORED_LATER = "stored on {date:%Y-%m-%d %H:%M}, after {release} was frozen"
VERIFIED_LATER = "its evidence is of {date}, after {release} was frozen"
DROPPED = "the recipe of {release} drops it: {fate}"
CHOSEN_NOW = (
    "the recipe of {release} would choose it now: its facts, or its task's samples, have changed since"
)
WITHDRAWN = "the sample was withdrawn after {release} was frozen, so that no recipe judges it now"
NOT_JUDGED = (
    "the recipe of {release} keeps it up to the rule “{title}”, which compares it with the whole store, too "
    "large for a page; manage.py release rebuild {release} --check applies every rule"
)
UNREADABLE = "the recipe of {release} has a rule that this version of the site does not know"


@dataclass
class Absence:
    """Says why `release` lacks rows of `holder`. `hidden`: the reviews that the reader may not see."""

    release: Release
    holder: Release
    hidden: HiddenReviews | None = None

    def reasons(self, rows: Sequence[ReleaseRow]) -> list[list[str]]:
        """Return the sentences for each row; their samples are read already."""
        known = [self.by_dates(row) for row in rows]
        left = [row for row, sentence in zip(rows, known, strict=True) if not sentence]
        fates = self.fates(left) if left else {}
        return [[sentence or fates[str(row.sample_id)]] for row, sentence in zip(rows, known, strict=True)]

    def by_dates(self, row: ReleaseRow) -> str:
        """Return the fact about the row that is younger than the release; empty if there is none."""
        frozen_at = self.release.started_at or self.release.created_at
        if row.sample.created_at > frozen_at:
            return STORED_LATER.format(date=row.sample.created_at, release=self.release.name)
        verified_at = row.snapshot.get("verified_at")
        if verified_at and datetime.fromisoformat(verified_at) > frozen_at:
            date = verified_at[:16].replace("T", " ")
            return VERIFIED_LATER.format(date=date, release=self.release.name)
        return ""

    def fates(self, rows: Sequence[ReleaseRow]) -> dict[str, str]:
        """Return what the release's recipe says of these samples now."""
        if self.recipe is None:
            return dict.fromkeys(map(sample_of, rows), self.say(UNREADABLE))
        dropped = self.recipe.dropped(rows)
        return {sample_of(row): self.fate(row, dropped, self.recipe.unjudged) for row in rows}

    def fate(self, row: ReleaseRow, dropped: dict[str, str], unjudged: Sequence[Rule]) -> str:
        if words := dropped.get(sample_of(row)):
            return self.say(DROPPED, fate=words)
        if row.sample.withdrawn:
            return self.say(WITHDRAWN)
        return self.say(NOT_JUDGED, title=unjudged[0].title) if unjudged else self.say(CHOSEN_NOW)

    def say(self, sentence: str, **values: object) -> str:
        return sentence.format(release=self.release.name, **values)

    @cached_property
    def recipe(self) -> RecipeNow | None:
        try:
            definition = on_its_device(replace(parse(self.release.definition), device=self.release.device))
        except RecipeError:
            return None
        return RecipeNow(definition, self.holder, self.hidden)


@dataclass
class RecipeNow:
    """A recipe that judges rows of `holder` by what is stored now."""

    definition: Definition
    holder: Release
    hidden: HiddenReviews | None

    def dropped(self, rows: Sequence[ReleaseRow]) -> dict[str, str]:
        """Return by which rule, and why, each of the samples is dropped, of those that are."""
        return (self.whole if self.is_small else self.by_task(rows)).fates

    @property
    def unjudged(self) -> Sequence[Rule]:
        """Return the rules that are not applied."""
        return () if self.is_small else self.definition.rules[len(self.first.rules) :]

    @cached_property
    def is_small(self) -> bool:
        return Sample.objects.count() <= MOST_ROWS_JUDGED

    @cached_property
    def whole(self) -> Selection:
        watched = set(map(str, self.holder.rows.values_list("sample_id", flat=True)))
        return store.select(self.definition, watched, store.FINGERPRINTS_ON_A_PAGE, self.hidden)

    @cached_property
    def first(self) -> Definition:
        """Return the recipe up to its first rule that compares samples of different tasks."""
        rules = takewhile(lambda rule: isinstance(rule, RowRule | TaskRule), self.definition.rules)
        return replace(self.definition, rules=tuple(rules), splits=ALL_TRAIN)

    def by_task(self, rows: Sequence[ReleaseRow]) -> Selection:
        tasks = {row.sample.task_id for row in rows}
        stored = store.rows(self.definition.device, self.first.needs(), hidden=self.hidden, tasks=tasks)
        return apply(self.first, stored, Context(), set(map(sample_of, rows)))


def sample_of(row: ReleaseRow) -> str:
    return str(row.sample_id)
