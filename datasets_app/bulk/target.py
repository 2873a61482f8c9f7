"""The samples of a bulk action: selected ids, or everything that a filter matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from datasets_app.accounts.actor import Actor
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
    """A number of samples; a lower bound if there was no time to count them all."""

    number: int
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.number}{'' if self.exact else '+'}"

    @classmethod
    def read(cls, text: str) -> Count | None:
        """Return the count that a form states."""
        digits = text.removesuffix("+")
        return cls(int(digits), digits == text) if digits.isdecimal() and len(digits) < 10 else None

    def is_exactly(self, number: int) -> bool:
        return self.exact and self.number == number

    def may_be(self, number: int) -> bool:
        return self.number == number if self.exact else self.number <= number

    def agrees(self, stated: Count | None) -> bool:
        """Return whether this count is consistent with the stated one."""
        if stated is None:
            return False
        return self.may_be(stated.number) if stated.exact else not self.exact or self.number >= stated.number


@dataclass(frozen=True)
class Target:
    """The samples. If `ids` is None: all that `query` (the parameters of a list's address) matches."""

    query: str = ""
    ids: tuple[UUID, ...] | None = None

    @classmethod
    def of_ids(cls, texts: Sequence[str]) -> Target:
        """Return the target. Raises BulkError for malformed or unknown ids."""
        if not texts:
            raise BulkError("Select samples first: tick some rows, or act on the whole result.")
        if len(texts) > MOST_IDS:
            raise BulkError(f"{len(texts):,} ids; at most {MOST_IDS:,} are allowed. Use a filter for more.")
        ids = tuple(dict.fromkeys(read_id(text) for text in texts))
        missing = set(ids) - set(Sample.objects.filter(pk__in=ids).values_list("pk", flat=True))
        if missing:
            raise BulkError(f"There is no sample {min(missing)}.")
        return cls(ids=ids)

    @classmethod
    def of_query(cls, query: str) -> Target:
        """Return the target. Raises BulkError for a filter that cannot be parsed."""
        try:
            return cls(query=BrowseFilter.from_querystring(query).querystring())
        except BrowseError as error:
            raise BulkError(str(error)) from error

    def count(self, actor: Actor) -> Count:
        """Count with the facet index, within its time limit: a lower bound if a search found only its first results, or
        some changed rows are not counted yet."""
        if self.ids is not None:
            return Count(len(self.ids))
        sets = Sets(BrowseFilter.from_querystring(self.query).read_by(actor), read())
        matching, behind = size(sets.matching()), sets.reading.behind
        if sets.overcounts:
            return Count(0, exact=False)
        return Count(max(0, matching - behind), not (sets.cut_short or behind))

    def words(self) -> str:
        if self.ids is not None:
            return "the selection"
        return BrowseFilter.from_querystring(self.query).words()


def read_id(text: str) -> UUID:
    try:
        return UUID(str(text))
    except ValueError:
        raise BulkError(f"{text!r:.80} is not a sample id; copy it from a sample's page or URL.") from None
