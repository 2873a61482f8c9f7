"""Which samples a bulk action is over: ids that were ticked, or everything that a filter matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from datasets_app.browse import BrowseError, BrowseFilter, facets
from datasets_app.bulk.verb import BulkError
from datasets_app.models import Sample
from datasets_app.querysets import SampleQuerySet

MOST_IDS = 1000


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

    def queryset(self) -> SampleQuerySet:
        if self.ids is not None:
            return Sample.objects.filter(pk__in=self.ids).order_by()
        return BrowseFilter.from_querystring(self.query).queryset()

    def count(self) -> int:
        """Of the counts beside the list, where they are all there is; else the rows are counted."""
        if self.ids is not None:
            return len(self.ids)
        found = facets.count_exactly(BrowseFilter.from_querystring(self.query))
        return self.queryset().count() if found is None else found

    def words(self) -> str:
        if self.ids is not None:
            return "the selection"
        return BrowseFilter.from_querystring(self.query).words()


def read_id(text: str) -> UUID:
    try:
        return UUID(str(text))
    except ValueError:
        raise BulkError(f"{text!r:.80} is no sample id; a sample's page and its address show it.") from None
