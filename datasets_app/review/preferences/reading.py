"""Which preferences an account may see, and the ranking of a task's samples that follows from them."""

from collections import Counter
from dataclasses import dataclass

from django.conf import settings

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import Preference, PreferenceChoice, Sample, Task
from datasets_app.models.preference import PreferenceQuerySet
from datasets_app.review.preferences.ranking import Strength, ranked

MOST_COMPARISONS = 20_000  # that a ranking reads
MOST_RANKED = 60  # samples, those with the most comparisons: the intervals need the inverse of a matrix
WON: dict[str, float] = {PreferenceChoice.LEFT: 1.0, PreferenceChoice.RIGHT: 0.0, PreferenceChoice.TIE: 0.5}


def reads_own_only(actor: Actor) -> bool:
    """Return whether the actor may see their own preferences alone: where the whole site reviews blind."""
    return bool(settings.REVIEW_BLIND) and not actor.may(Scope.CURATE)


def readable_preferences(actor: Actor) -> PreferenceQuerySet:
    """Return the preferences that the actor may see: all of them; where the site reviews blind, own ones.

    Curators see all in either case.
    """
    if reads_own_only(actor):
        return Preference.objects.filter(reviewer=actor.user)
    return Preference.objects.all()


@dataclass(frozen=True)
class Rank:
    """One row of a task's ranking. Equal strengths have equal places."""

    place: int
    sample: Sample
    strength: Strength


@dataclass(frozen=True)
class Ranking:
    """The compared samples of a task, the strongest first. `own_only`: from the reader's own comparisons alone."""

    rows: list[Rank]
    comparisons: int
    own_only: bool
    is_cut: bool  # only the first MOST_COMPARISONS were read, or the first MOST_RANKED samples


def ranking_of(task: Task, actor: Actor) -> Ranking:
    """Return the ranking of a task's samples from the preferences that the actor may see; two queries."""
    in_use = {"left__withdrawn": False, "right__withdrawn": False}
    standing = readable_preferences(actor).standing().filter(task=task, **in_use).order_by("created_at", "id")
    rows = list(standing.values_list("left_id", "right_id", "choice")[: MOST_COMPARISONS + 1])
    read = rows[:MOST_COMPARISONS]
    most = {pk for pk, _ in Counter(pk for row in read for pk in row[:2]).most_common(MOST_RANKED)}
    scores = [(left, right, WON[choice]) for left, right, choice in read if {left, right} <= most]
    ranks = ranked(scores)
    samples = Sample.objects.select_related("source").in_bulk([pk for pk, _ in ranks]) if ranks else {}
    better = [round(strength.value, 6) for _, strength in ranks]
    return Ranking(
        [Rank(better.index(better[i]) + 1, samples[pk], strength) for i, (pk, strength) in enumerate(ranks)],
        len(scores),
        reads_own_only(actor),
        len(scores) < len(rows),
    )
