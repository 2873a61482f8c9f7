"""How often suggestions were taken, and how far their verdicts agree with people's, by maker and version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q

from datasets_app.models import Review, Suggestion, SuggestionAnswer, SuggestionKind, SuggestionReply
from datasets_app.review.agreement.bootstrap import Estimate, estimate
from datasets_app.review.agreement.coefficients import Unit, cohen_kappa
from datasets_app.review.agreement.ratings import VERDICT, VERDICT_ORDER
from datasets_app.review.agreement.report import ConfusionRow, confusion

MOST_MAKERS = 12  # in the report, those with most suggestions first: each costs a bootstrap
MOST_SUGGESTIONS = 50_000  # the newest ones whose verdicts are compared


class Maker(NamedTuple):
    source: str
    name: str
    version: str


@dataclass(frozen=True)
class Compared:
    """Suggested verdicts beside the verdicts of people, one pair per review."""

    reviews: int
    same: int
    kappa: Estimate
    confusion: tuple[ConfusionRow, ...]  # a row per suggested verdict

    @property
    def same_percent(self) -> int:
        return round(100 * self.same / self.reviews) if self.reviews else 0


@dataclass(frozen=True)
class MakerReport:
    """One version of one maker. `offered`: times that a suggestion was shown to a reviewer."""

    maker: Maker
    suggestions: int
    withdrawn: int
    offered: int
    taken: int  # and saved so, or not saved yet
    overruled: int  # taken, and then another verdict was saved
    dropped: int
    after: Compared  # reviews saved after the suggestion was shown to their reviewer
    unseen: Compared  # reviews saved before, or by people to whom it was never shown

    @property
    def unanswered(self) -> int:
        return self.offered - self.taken - self.overruled - self.dropped


@dataclass(frozen=True)
class SuggestionReport:
    makers: tuple[MakerReport, ...]
    left_out: int  # makers with fewer suggestions
    is_cut: bool  # only the newest suggestions were compared


@dataclass
class Pairs:
    """Counts of (suggested verdict, person's verdict)."""

    after: Counter[Unit] = field(default_factory=Counter)
    unseen: Counter[Unit] = field(default_factory=Counter)


def suggestion_report() -> SuggestionReport:
    """Return the report; five queries. What was withdrawn counts as well: its verdicts were suggested."""
    counts = suggestion_counts()
    ranked = sorted(counts, key=lambda maker: (-counts[maker][0], maker))
    replies = reply_counts()
    pairs, is_cut = compared_pairs()
    makers = [
        MakerReport(maker, *counts[maker], *replies[maker], *both(pairs[maker]))
        for maker in ranked[:MOST_MAKERS]
    ]
    return SuggestionReport(tuple(makers), len(ranked) - len(makers), is_cut)


def suggestion_counts() -> dict[Maker, tuple[int, int]]:
    """Return the number of suggestions, and of those that were withdrawn, by maker."""
    rows = (
        Suggestion.objects.order_by()
        .values_list("source", "maker", "version")
        .annotate(n=Count("pk"), withdrawn=Count("pk", filter=Q(withdrawn_at__isnull=False)))
    )
    return {Maker(*row[:3]): (row[3], row[4]) for row in rows}


def reply_counts() -> dict[Maker, tuple[int, int, int, int]]:
    """Return how often suggestions were shown, taken, overruled and dropped, by maker."""
    of_maker = [f"suggestion__{name}" for name in ("source", "maker", "version")]
    rows = SuggestionAnswer.objects.order_by().values_list(*of_maker, "reply").annotate(n=Count("pk"))
    counts: defaultdict[Maker, Counter[str]] = defaultdict(Counter)
    for *maker, reply, n in rows:
        counts[Maker(*maker)][reply] += n
    kinds = (SuggestionReply.TAKEN, SuggestionReply.OVERRULED, SuggestionReply.DROPPED)
    found: defaultdict[Maker, tuple[int, int, int, int]] = defaultdict(lambda: (0, 0, 0, 0))
    for one, by_reply in counts.items():
        taken, overruled, dropped = (by_reply[kind] for kind in kinds)
        found[one] = by_reply.total(), taken, overruled, dropped
    return found


def compared_pairs() -> tuple[defaultdict[Maker, Pairs], bool]:
    """Return the pairs of verdicts by maker, and whether older suggestions were left out.

    Newer evidence makes a further suggestion for the same sample: a review is compared with the one that was shown to
    its reviewer last before it, or, if none was, with the newest.
    """
    suggested = Suggestion.objects.filter(kind=SuggestionKind.VERDICT).exclude(verdict="")
    columns = ("pk", "sample_id", "verdict", "source", "maker", "version")
    rows = list(suggested.values_list(*columns)[: MOST_SUGGESTIONS + 1])
    shown = dict(shown_at())
    votes = newest_votes()
    made: defaultdict[tuple[Maker, UUID], list[tuple[UUID, str]]] = defaultdict(list)  # the newest first
    for pk, sample, verdict, *maker in rows[:MOST_SUGGESTIONS]:
        made[Maker(*maker), sample].append((pk, verdict))
    pairs: defaultdict[Maker, Pairs] = defaultdict(Pairs)
    for (maker_of, sample), several in made.items():
        counted = pairs[maker_of]
        for reviewer, (given, at) in votes.get(sample, {}).items():
            times = [(shown.get((pk, reviewer)), verdict) for pk, verdict in several]
            seen = [(when, verdict) for when, verdict in times if when and when <= at]
            side = counted.after if seen else counted.unseen
            verdict = max(seen)[1] if seen else several[0][1]
            side[VERDICT_ORDER[verdict], VERDICT_ORDER[given]] += 1
    return pairs, len(rows) > MOST_SUGGESTIONS


def shown_at() -> Iterator[tuple[tuple[UUID, int], datetime]]:
    """Yield when a suggestion was first shown to a reviewer."""
    rows = SuggestionAnswer.objects.filter(suggestion__kind=SuggestionKind.VERDICT).order_by()
    for suggestion, reviewer, at in rows.values_list("suggestion_id", "reviewer_id", "shown_at").iterator():
        yield (suggestion, reviewer), at


def newest_votes() -> dict[UUID, dict[int, tuple[str, datetime]]]:
    """Return the newest standing vote of each reviewer on samples that have a suggested verdict."""
    suggested = Suggestion.objects.filter(kind=SuggestionKind.VERDICT).exclude(verdict="").order_by()
    votes = Review.objects.votes().filter(sample__in=suggested.values("sample"))
    columns = ("sample_id", "reviewer_id", "verdict", "created_at")
    found: defaultdict[UUID, dict[int, tuple[str, datetime]]] = defaultdict(dict)
    for sample, reviewer, verdict, at in votes.order_by("created_at", "id").values_list(*columns):
        found[sample][reviewer] = verdict, at
    return found


def both(pairs: Pairs) -> tuple[Compared, Compared]:
    return compared(pairs.after), compared(pairs.unseen)


def compared(units: Counter[Unit]) -> Compared:
    same = sum(times for (suggested, given), times in units.items() if suggested == given)
    return Compared(units.total(), same, estimate(cohen_kappa, units), confusion(VERDICT, units))
