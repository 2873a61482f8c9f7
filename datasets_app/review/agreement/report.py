"""All numbers on agreement: every field of the rubric together, then one field by pair of reviewers and by reviewer."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from datasets_app.models import ReviewQueue
from datasets_app.review.agreement.bootstrap import Estimate, estimate
from datasets_app.review.agreement.coefficients import (
    Unit,
    cohen_kappa,
    fleiss_kappa,
    nominal_alpha,
    ordinal_alpha,
)
from datasets_app.review.agreement.ratings import (
    Ratings,
    RubricField,
    Stamp,
    all_versions,
    read_ratings,
    rubric_fields,
    stamp,
)

MOST_ROWS = 12  # pairs and reviewers in the report, those with most samples first: each costs a bootstrap


@dataclass(frozen=True)
class FieldAgreement:
    """Agreement of all reviewers on one field."""

    field: RubricField
    alpha: Estimate  # nominal for verdicts, ordinal for scores
    fleiss: Estimate


class ConfusionRow(NamedTuple):
    value: str  # the first reviewer's, by its title
    counts: tuple[int, ...]  # samples by the second reviewer's value


@dataclass(frozen=True)
class PairAgreement:
    """Two reviewers on one field: `confusion` has a row per value of the first."""

    first: str
    second: str
    samples: int
    same: int
    kappa: Estimate
    confusion: tuple[ConfusionRow, ...]

    @property
    def same_percent(self) -> int:
        return round(100 * self.same / self.samples)


@dataclass(frozen=True)
class ReviewerAgreement:
    """One reviewer beside the others who rated the same samples."""

    name: str
    samples: int  # rated by this reviewer and by somebody else
    pairs: int  # a rating of this reviewer beside one of another
    same: int  # of these, equal
    alpha: Estimate  # of all ratings of these samples

    @property
    def same_percent(self) -> int:
        return round(100 * self.same / self.pairs)


@dataclass(frozen=True)
class Agreement:
    """The report for one field; `fields` has the overall numbers of every field."""

    field: RubricField
    fields: tuple[FieldAgreement, ...]
    pairs: tuple[PairAgreement, ...]
    reviewers: tuple[ReviewerAgreement, ...]
    pairs_left_out: int = 0
    reviewers_left_out: int = 0
    is_cut: bool = False  # only the newest reviews were read


def agreement(field: str = "verdict", queue: ReviewQueue | None = None) -> Agreement:
    """Return the report for a field of `rubric_fields()`, of all samples or of a queue's; it is computed once per state
    of the reviews.
    """
    return _agreement(field, stamp(queue))


@lru_cache(maxsize=32)
def _agreement(field: str, state: Stamp) -> Agreement:
    names = dict(state.reviewers)
    overall, ratings, is_cut = _overall(state)
    chosen = next(one.field for one in overall if one.field.name == field)
    pairs, pairs_left_out = by_pair(chosen, ratings[field], names)
    reviewers, reviewers_left_out = by_reviewer(chosen, ratings[field], names)
    return Agreement(chosen, overall, pairs, reviewers, pairs_left_out, reviewers_left_out, is_cut)


@lru_cache(maxsize=4)
def _overall(state: Stamp) -> tuple[tuple[FieldAgreement, ...], dict[str, Ratings], bool]:
    versions = all_versions()
    fields, (ratings, is_cut) = rubric_fields(versions), read_ratings(versions, state.queue)
    return tuple(on_field(field, ratings[field.name]) for field in fields.values()), ratings, is_cut


def units_of(ratings: Ratings) -> Counter[Unit]:
    return Counter(tuple(sorted(by_person.values())) for by_person in ratings.values())


def on_field(field: RubricField, ratings: Ratings) -> FieldAgreement:
    units = units_of(ratings)
    return FieldAgreement(field, alpha_of(field, units), estimate(fleiss_kappa, units))


def alpha_of(field: RubricField, units: Counter[Unit]) -> Estimate:
    return estimate(ordinal_alpha if field.is_ordinal else nominal_alpha, units)


def by_pair(
    field: RubricField, ratings: Ratings, names: dict[int, str]
) -> tuple[tuple[PairAgreement, ...], int]:
    """Return the pairs of reviewers who share samples, those with most first, and how many were left out."""
    pairs: defaultdict[tuple[int, int], Counter[Unit]] = defaultdict(Counter)
    for by_person in ratings.values():
        for first, second in combinations(sorted(by_person), 2):
            pairs[first, second][by_person[first], by_person[second]] += 1
    ranked = sorted(pairs.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    shown = [
        PairAgreement(
            names[first],
            names[second],
            sum(units.values()),
            sum(times for (a, b), times in units.items() if a == b),
            estimate(cohen_kappa, units),
            confusion(field, units),
        )
        for (first, second), units in ranked[:MOST_ROWS]
    ]
    return tuple(shown), len(ranked) - len(shown)


def confusion(field: RubricField, units: Counter[Unit]) -> tuple[ConfusionRow, ...]:
    numbers = range(field.first, field.first + len(field.values))
    return tuple(
        ConfusionRow(value, tuple(units[a, b] for b in numbers))
        for a, value in zip(numbers, field.values, strict=True)
    )


def by_reviewer(
    field: RubricField, ratings: Ratings, names: dict[int, str]
) -> tuple[tuple[ReviewerAgreement, ...], int]:
    """Return the reviewers who share samples with others, those with most first, and how many were left out."""
    rated: defaultdict[int, Ratings] = defaultdict(dict)
    for sample, by_person in ratings.items():
        if len(by_person) > 1:
            for person in by_person:
                rated[person][sample] = by_person
    ranked = sorted(rated.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = [reviewer_row(field, person, own, names[person]) for person, own in ranked[:MOST_ROWS]]
    return tuple(shown), len(ranked) - len(shown)


def reviewer_row(field: RubricField, person: int, rated: Ratings, name: str) -> ReviewerAgreement:
    beside = [
        (by_person[person], value)
        for by_person in rated.values()
        for other, value in by_person.items()
        if other != person
    ]
    same = sum(own == other for own, other in beside)
    return ReviewerAgreement(name, len(rated), len(beside), same, alpha_of(field, units_of(rated)))
