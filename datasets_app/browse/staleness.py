"""Which evidence is stale. What evidence is bound to is eval_app's to know: it registers a source when it starts."""

from collections.abc import Mapping
from typing import Protocol

from django.db.models import Q


class Source(Protocol):
    def changes(self) -> Mapping[str, str]:
        """Key of each stale environment (see Sample.environment) to what has changed since, in words."""
        ...


_sources: list[Source] = []


def register(source: Source) -> None:
    """Take `source` in the place of whatever was registered before."""
    _sources[:] = [source]


def changes() -> dict[str, str]:
    """Key of each stale environment to what has changed since: "engine 0.3 → 0.4"; two small queries."""
    return {key: words for source in _sources for key, words in source.changes().items()}


BOUND = "by:"


def is_bound(cell: str) -> bool:
    """Whether a cell of the facet (see datasets_app.db.facet_index.facets) says what the verdict is bound to."""
    return cell.startswith(BOUND) and cell != BOUND


def word_of(cell: str, changed: Mapping[str, str]) -> str:
    """The cell as the filter says it; empty for rows never verified."""
    if not cell:
        return ""
    return "yes" if cell.removeprefix(BOUND) in changed else "no"


def stale() -> Q:
    """Samples whose newest evidence was found under versions that have changed since."""
    return Q(environment__in=sorted(changes()))


def staleness(word: str) -> Q:
    """`yes`: stale; `no`: verified and up to date."""
    return stale() if word == "yes" else ~stale() & ~Q(outcome="")
