"""Which samples a bulk action is over: ids that were ticked, or everything that a filter matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.bulk.verb import BulkError
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import size
from datasets_app.models import Sample

MOST_IDS = 1000
NOTHING_MATCHES = "No sample matches, so there was nothing to do."


def another_number(count: int, expected: int | None) -> str:
    return f"{count:,} samples match, not {expected:,}: nothing was done."


@dataclass(frozen=True)
class Count:
    """How many samples; where there was no time to count them, at least so many."""

    number: int
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.number}{'' if self.exact else '+'}"

    @classmethod
    def read(cls, text: str) -> Count | None:
        """What a form said, as it was written."""
        digits = text.removesuffix("+")
        return cls(int(digits), digits == text) if digits.isdecimal() and len(digits) < 10 else None

    def is_exactly(self, number: int) -> bool:
        return self.exact and self.number == number

    def may_be(self, number: int) -> bool:
        return self.number == number if self.exact else self.number <= number

    def agrees(self, said: Count | None) -> bool:
        """Whether who was told `said` was told of this."""
        if said is None:
            return False
        return self.may_be(said.number) if said.exact else not self.exact or self.number >= said.number


@dataclass(frozen=True)
class Target:
    """`ids` None: all that `query` (the parameters of a list's address) matches."""

    query: str = ""
    ids: tuple[UUID, ...] | None = None

    @classmethod
    def of_ids(cls, texts: Sequence[str]) -> Target:
        """Raises BulkError for what is no id, and for ids that are not stored here."""
        if not texts:
            raise BulkError("Choose samples first: tick some rows, or act on the whole result.")
        if len(texts) > MOST_IDS:
            raise BulkError(f"{len(texts):,} ids; {MOST_IDS:,} are the most. Use a filter for more.")
        ids = tuple(dict.fromkeys(read_id(text) for text in texts))
        missing = set(ids) - set(Sample.objects.filter(pk__in=ids).values_list("pk", flat=True))
        if missing:
            raise BulkError(f"No sample {min(missing)} is stored here.")
        return cls(ids=ids)

    @classmethod
    def of_query(cls, query: str) -> Target:
        """Raises BulkError for a filter that cannot be read."""
        try:
            return cls(query=BrowseFilter.from_querystring(query).querystring())
        except BrowseError as error:
            raise BulkError(str(error)) from error

    def count(self) -> Count:
        """Of the counts beside the list, in the time that those take: where a search found only the first of them, or
        rows changed that are not counted yet, there are at least so many."""
        if self.ids is not None:
            return Count(len(self.ids))
        sets = Sets(BrowseFilter.from_querystring(self.query), read())
        found, behind = size(sets.matching()), sets.reading.behind
        return Count(max(0, found - behind), not (sets.cut_short or behind))

    def words(self) -> str:
        if self.ids is not None:
            return "the selection"
        return BrowseFilter.from_querystring(self.query).words()


def read_id(text: str) -> UUID:
    try:
        return UUID(str(text))
    except ValueError:
        raise BulkError(f"{text!r:.80} is no sample id; a sample's page and its address show it.") from None
