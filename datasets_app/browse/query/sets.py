"""A filter as sets of samples (datasets_app.db.facet_index), from which its counts and small results are read.

A part is read from the bits of a facet's values, from the digits of a numeric facet, or otherwise with one SELECT of
the samples' numbers. The results of such SELECTs are cached until a sample changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Q
from django.db.models.expressions import RawSQL

from datasets_app.browse import staleness
from datasets_app.browse.query.device_field import admits_there, samples_with
from datasets_app.browse.query.fields import Field, Values
from datasets_app.browse.query.filter import WITHDRAWN, BrowseFilter
from datasets_app.browse.query.hidden_reviews import UNREVIEWED, is_about_reviews, of_unreviewed
from datasets_app.browse.query.named_sets import NUMBERED, Bounds, numbers_of
from datasets_app.browse.query.negated import Negated, NegatedField, negation, positive
from datasets_app.browse.query.open_fields import BoundField, SearchField
from datasets_app.browse.query.vocabulary import ON_DEVICE
from datasets_app.browse.staleness import is_bound, word_of
from datasets_app.db.facet_index import Reading, Selection
from datasets_app.db.facet_index.extremes import minus
from datasets_app.db.facet_index.facets import names, on_device
from datasets_app.db.facet_index.rows import select
from datasets_app.db.facet_index.sets import both, either, size
from datasets_app.db.text_index import pending
from datasets_app.evidence import devices
from datasets_app.models import Sample
from datasets_app.models.sample import SampleQuerySet

FEW = 4000  # up to this many rows are named; more are walked in the list's order
HASTY = Bounds(100_000, 0.09)
PATIENT = Bounds(2**31 - 2, 1e6)


@dataclass
class Sets:
    """The parts of a filter as sets of samples."""

    chosen: BrowseFilter
    reading: Reading
    patient: bool = False  # searches run to their end, however long that takes
    cut_short: bool = False  # counts are inexact: lower bounds, or, if it `overcounts`, estimates
    overcounts: bool = False  # a negated search was cut short
    unindexed: int = 0  # texts that the searches of the filter could not find yet
    cached: dict[str, Selection] = field(default_factory=dict)
    matched: dict[str, Selection] = field(default_factory=dict)  # by the part that is left out

    @cached_property
    def elsewhere(self) -> str:
        """The device of the filter if it is not the reference device, otherwise ''."""
        return self.chosen.elsewhere

    def on(self, device: str, reference: str) -> Sets:
        """Return the same sets with another device, by its full name; parts that are not about a device are kept."""
        reusable = {name: samples for name, samples in self.cached.items() if positive(name) not in ON_DEVICE}
        there = Sets(self.chosen.having("device", device), self.reading, self.patient, cached=reusable)
        there.cached["device"] = self.reading.where("device", device.__eq__)
        there.elsewhere = "" if device == reference else device
        return there

    @cached_property
    def reference(self) -> str:
        """The reference device, by its full name."""
        return devices.reference_device()

    @cached_property
    def hidden(self) -> Selection:
        """The samples whose reviews are hidden from the filter's reader; see hidden_reviews."""
        return self.chosen.hidden.selection(self.reading) if self.chosen.hidden else {}

    @cached_property
    def sources(self) -> dict[str, str]:
        """The sources' names by the ids that the facet stores. Every list reads them, and making a query of Django's
        takes ten times as long as this one.
        """
        return {str(pk): name for pk, name in select("SELECT id, name FROM datasets_app_source")}

    @cached_property
    def changes(self) -> dict[str, str]:
        return staleness.changes()

    def filter_value(self, facet_name: str, stored: str) -> str:
        """Return the filter's value for a facet's stored value. A source is stored as its id, so that it may be
        renamed; staleness depends on the moment, so that the environment of the verdict is stored.
        """
        if facet_name == "source":
            return self.sources.get(stored, "")
        if facet_name == "stale":
            return word_of(stored, self.changes if is_bound(stored) else {})
        return stored

    def matching(self, without: str = "") -> Selection:
        """Return the samples that the filter matches, optionally without one part and its negation."""
        left_out = without if any(positive(part.name) == without for part, _ in self.chosen) else ""
        if left_out not in self.matched:
            self.matched[left_out] = self.match(left_out)
        return self.matched[left_out]

    def match(self, without: str) -> Selection:
        matching = self.reading.everything
        if not self.chosen.names_withdrawn:
            matching = minus(matching, self.reading.where(WITHDRAWN, "yes".__eq__))
        for part, values in self.chosen:
            if positive(part.name) != without:
                matching = both(matching, self.part(part, values))
        return matching

    def part(self, part: Field, values: Values) -> Selection:
        if part.name not in self.cached:
            self.cached[part.name] = self.set_of(part, values)
        return self.cached[part.name]

    def set_of(self, part: Field, values: Values) -> Selection:
        """Return the samples with one of the values; those with hidden reviews count as unreviewed."""
        if isinstance(part, Negated):
            return self.negated_set(part, values)
        if not (self.chosen.hidden and is_about_reviews(part)):
            return self.stored_set(part, values)
        found: Selection = {}
        for value in values:
            found = either(found, self.set_for_reader(part, value))
        return found

    def negated_set(self, part: Negated, values: Values) -> Selection:
        """Return the samples that no value matches. A search that was cut short excludes too few of them."""
        cut_before, self.cut_short = self.cut_short, False
        matching = self.reading.everything
        for value in values:
            excluded = self.reading.everything
            for of, wanted in part.parts(value):
                excluded = both(excluded, self.set_of(of, wanted))
            matching = minus(matching, excluded)
        self.overcounts |= self.cut_short
        self.cut_short |= cut_before
        return matching

    def set_for_reader(self, part: Field, value: str) -> Selection:
        stored, unreviewed = self.stored_set(part, (value,)), of_unreviewed(part, value)
        if unreviewed is None:
            return stored
        return either(stored, self.hidden) if unreviewed else minus(stored, self.hidden)

    def stored_set(self, part: Field, values: Values) -> Selection:
        if self.elsewhere and part.name in ON_DEVICE:
            return self.set_there(part, values)
        if isinstance(part, BoundField):
            return self.bounded(part, values)
        admits = part.admits(values) if part.name in names() else None
        if admits is not None:
            return self.reading.where(part.name, lambda stored: admits(self.filter_value(part.name, stored)))
        return self.one_by_one(part, values)

    def set_there(self, part: Field, values: Values) -> Selection:
        """Return the samples by their evidence on the device of the filter; the headline is that evidence for most of
        them.
        """
        if isinstance(part, BoundField):
            return self.bounded_there(part, values)
        admits = part.admits(values) if part.name in names() else None
        if admits is None:
            return self.one_by_one(part, values)
        device = self.elsewhere
        shown = self.reading.where(part.name, lambda stored: admits(self.filter_value(part.name, stored)))
        there = admits_there(part.name, lambda stored: admits(self.filter_value(part.name, stored)), device)
        headlines = self.reading.where("headline", device.__eq__)
        return either(both(shown, headlines), self.reading.where("on_device", there))

    def bounded_there(self, part: BoundField, values: Values) -> Selection:
        """Return the samples whose number on the device of the filter is within the bound. Only those whose headline is
        of another device are read one by one.
        """
        device = self.elsewhere
        within = both(self.bounded(part, values), self.reading.where("headline", device.__eq__))
        outcome = on_device(device, "outcome")  # all evidence has one
        if not size(self.reading.where("on_device", lambda stored: stored.startswith(outcome))):
            return within
        beside = samples_with(ON_DEVICE[part.name], values, device, beside_headlines=True)
        named = NUMBERED.named(self.reading, numbers_of(beside, HASTY.numbers + 1), HASTY)
        self.cut_short |= named.cut_short
        return either(within, named.samples)

    def bounded(self, part: BoundField, values: Values) -> Selection:
        strict, number = part.value(values[0])
        return self.reading.bounded(part.group, number, is_min=part.is_min, strict=strict)

    def counts(self, name: str, among: Selection) -> Mapping[str, int]:
        """Return each value of a facet with the number of these samples that have it, on the device of the filter."""
        device = self.elsewhere
        if name in UNREVIEWED and self.hidden:
            return self.counts_for_reader(name, among)
        if not device or name not in ON_DEVICE:
            return self.reading.counts(name, among)
        counts = Counter(
            self.reading.counts(name, both(among, self.reading.where("headline", device.__eq__)))
        )
        prefix = on_device(device, name)
        for stored, n in self.reading.counts("on_device", among).items():
            if stored.startswith(prefix):
                counts[stored.removeprefix(prefix)] += n
        return dict(counts)

    def counts_for_reader(self, name: str, among: Selection) -> dict[str, int]:
        counts = Counter(self.reading.counts(name, minus(among, self.hidden)))
        if unseen := size(both(among, self.hidden)):
            counts[UNREVIEWED[name]] += unseen
        return dict(counts)

    def one_by_one(self, part: Field, values: Values) -> Selection:
        """Return a SELECT's samples, at most as many as the bounds allow; beyond, counts are lower bounds."""
        if isinstance(part, SearchField):
            self.unindexed = pending.count(pending.MOST_SHOWN)
        bounds = PATIENT if self.patient else HASTY
        condition = self.chosen.condition(part, values)
        named = NUMBERED.get(self.reading, part, values, bounds, condition, self.unindexed)
        self.cut_short |= named.cut_short
        return named.samples

    def rows(self) -> SampleQuerySet:
        """Return the same samples as a queryset, for reading a page of them in some order.

        A few are named; if there are many, a walk in the list's order soon meets a page of them, and words are tested
        on each row of the walk.
        """
        if not self.chosen:
            return self.chosen.queryset()
        matching = self.matching()
        if size(matching) <= FEW and not self.cut_short:
            return numbered(self.reading.numbers(matching))
        walked = {part.name: walk(part, values) for part, values in self.chosen}
        searches = {name: condition for name, condition in walked.items() if condition is not None}
        return self.chosen.queryset(without=searches).filter(*searches.values())


def walk(part: Field, values: Values) -> Q | None:
    """Return the condition that tests a search, or the negation of one, on each row; None for another part."""
    if isinstance(part, SearchField):
        return part.walk(values)
    if isinstance(part, NegatedField) and isinstance(part.of, SearchField):
        return negation([[part.of.walk((value,))] for value in values])
    return None


def few_numbered(numbers: Iterable[int]) -> SampleQuerySet:
    """Return the samples of a chunk of numbers, to be read with what many tables hold of them.

    Their ids are read first: PostgreSQL orders joins of more than eight tables as they are written, so that it would
    look the numbers up last and read the whole store for each chunk.
    """
    ids = list(numbered(numbers).values_list("pk", flat=True))
    return Sample.objects.order_by().filter(pk__in=ids)


def numbered(numbers: Iterable[int]) -> SampleQuerySet:
    among = ", ".join(str(int(number)) for number in numbers) or "NULL"
    ids = f"SELECT sample_id FROM concur_sample_number WHERE number IN ({among})"  # noqa: S608
    return Sample.objects.order_by().filter(pk__in=RawSQL(ids, []))  # noqa: S611
