"""Which evidence is stale: found under versions that its machines have changed since (see Environment.changed)."""

from collections.abc import Mapping

from django.db.models import Q

from datasets_app.models import Environment

BOUND = "by:"


def changes() -> dict[str, str]:
    """Return the key of each stale environment and what has changed since: "engine 0.3 → 0.4"; one small query."""
    return dict(Environment.objects.stale().order_by().values_list("key", "changed"))


def is_bound(cell: str) -> bool:
    """Whether a cell of the facet (see datasets_app.db.facet_index.facets) says what the verdict is bound to."""
    return cell.startswith(BOUND) and cell != BOUND


def word_of(cell: str, changed: Mapping[str, str]) -> str:
    """The cell as the filter says it; empty for rows never verified."""
    if not cell:
        return ""
    return "yes" if cell.removeprefix(BOUND) in changed else "no"


def stale() -> Q:
    """Samples whose headline evidence was found under versions that have changed since."""
    return Q(environment__in=sorted(changes()))


def staleness(word: str) -> Q:
    """`yes`: stale; `no`: verified and up to date."""
    return stale() if word == "yes" else ~stale() & ~Q(outcome="")
