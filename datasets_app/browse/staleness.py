"""Stale evidence: found under versions that its machines have changed since (see Environment.changed)."""

from collections.abc import Mapping

from django.db.models import Q

from datasets_app.models import Environment

BOUND = "by:"


def changes() -> dict[str, str]:
    """Return the key of each stale environment and what has changed since: "engine 0.3 → 0.4"; one small query."""
    return dict(Environment.objects.stale().order_by().values_list("key", "changed"))


def is_bound(stored: str) -> bool:
    """Return whether a stored value of the facet (see datasets_app.db.facet_index.facets) names an environment."""
    return stored.startswith(BOUND) and stored != BOUND


def word_of(stored: str, changed: Mapping[str, str]) -> str:
    """Return the filter's value for a stored value; empty for rows that were never verified."""
    if not stored:
        return ""
    return "yes" if stored.removeprefix(BOUND) in changed else "no"


def stale() -> Q:
    """Return the condition for samples whose headline evidence was found under versions that have changed since."""
    return Q(environment__in=sorted(changes()))


def staleness(word: str) -> Q:
    """Return the condition for `yes`: stale; `no`: verified and up to date."""
    return stale() if word == "yes" else ~stale() & ~Q(outcome="")
