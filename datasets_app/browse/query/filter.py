"""A filter over samples: parsed from parameters, described in words, written back to the URL."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict

from datasets_app.accounts.actor import Actor
from datasets_app.browse.query.device_field import DeviceField, samples_with
from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.fields import Field, Values
from datasets_app.browse.query.hidden_reviews import HiddenReviews, hidden_from, is_about_reviews
from datasets_app.browse.query.negated import PARAMETERS, Negated, negation, positive, positive_parts
from datasets_app.browse.query.open_fields import BoundField
from datasets_app.browse.query.vocabulary import FIELDS, ON_DEVICE, RANGES
from datasets_app.models import Sample
from datasets_app.models.sample import SampleQuerySet

# URL parameters beside a filter that are not part of it.
BESIDE = frozenset(
    {"query", "sort", "columns", "density", "view", "cursor", "limit", "format", "in", "csrfmiddlewaretoken"}
)
BESIDE_WORDS = "sort, limit and cursor"  # those that a program sends

WITHDRAWN = "withdrawn"  # a filter that does not name it leaves withdrawn samples out


def given(mapping: Mapping[str, object], name: str) -> list[str]:
    """Return all texts of a name, from a QueryDict or a plain dict of values or lists."""
    value = mapping.getlist(name) if hasattr(mapping, "getlist") else mapping[name]
    texts = value if isinstance(value, list | tuple) else [value]
    return [storable(str(text)) for text in texts if text is not None and str(text).strip()]


def storable(text: str) -> str:
    """Return the text without characters that databases refuse: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def unknown_name(name: str) -> str:
    near = difflib.get_close_matches(name, PARAMETERS, n=1)
    hint = (
        f"did you mean {near[0]}?"
        if near
        else f"the filters are {', '.join(FIELDS)}; beside them are {BESIDE_WORDS}."
    )
    return f"There is no filter {name!r:.60}; {hint}"


@dataclass(frozen=True)
class BrowseFilter:
    """A filter. `values`: parameter to its cleaned texts, in the order of the vocabulary. `hidden`: the reviews that
    its reader may not see; whatever is derived from the filter keeps them.
    """

    values: tuple[tuple[str, Values], ...] = ()
    hidden: HiddenReviews | None = None

    @classmethod
    def from_params(cls, mapping: Mapping[str, object], hidden: HiddenReviews | None = None) -> BrowseFilter:
        """Parse a QueryDict or a dict. Raises BrowseError, which names every faulty parameter."""
        errors: dict[str, list[str]] = {}
        values: dict[str, Values] = {}
        for name in mapping:
            if name in BESIDE:
                continue
            if name not in PARAMETERS:
                errors[name] = [unknown_name(name)]
                continue
            try:
                values[name] = clean_values(PARAMETERS[name], given(mapping, name))
            except ValueError as error:
                errors[name] = [str(error)]
        if errors:
            raise BrowseError(errors)
        result = cls(tuple((name, values[name]) for name in PARAMETERS if values.get(name)), hidden)
        result.refuse_empty_ranges()
        return result

    @classmethod
    def from_querystring(cls, text: str) -> BrowseFilter:
        """Parse the result of querystring(), which forms carry. Raises BrowseError."""
        return cls.from_params(QueryDict(text.removeprefix("?")))

    def read_by(self, actor: Actor) -> BrowseFilter:
        """Return the filter as it answers this actor: reviews that are hidden from them do not count."""
        return replace(self, hidden=hidden_from(actor))

    def refuse_empty_ranges(self) -> None:
        errors = {}
        for name in dict.fromkeys(RANGES.values()):
            low, high = f"{name}_min", f"{name}_max"
            if low in self and high in self and self.bound(low) > self.bound(high):
                errors[low] = [f"{low} is above {high}: no sample can match; swap the two."]
        if errors:
            raise BrowseError(errors)

    def bound(self, name: str) -> float:
        field = FIELDS[name]
        assert isinstance(field, BoundField)
        return field.value(self.get(name)[0])[1]

    @cached_property
    def by_name(self) -> dict[str, Values]:
        return dict(self.values)

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def get(self, name: str) -> Values:
        """Return the values of a parameter. It is not __getitem__: templates would try that before attributes such as
        `words`.
        """
        return self.by_name.get(name, ())

    def __iter__(self) -> Iterator[tuple[Field, Values]]:
        return ((PARAMETERS[name], values) for name, values in self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def text(self) -> str:
        """The text of the full-text search, or ''."""
        return self.get("q")[0] if "q" in self else ""

    def queryset(self, without: Iterable[str] = ()) -> SampleQuerySet:
        """Return the matching samples, unordered; `without` omits some parameters (a facet ignores itself)."""
        left_out = set(without)
        rows = Sample.objects.order_by() if self.names_withdrawn else Sample.objects.order_by().in_use()
        for field, values in self:
            if field.name not in left_out:
                rows = rows.filter(self.condition(field, values))
        return rows

    @property
    def names_withdrawn(self) -> bool:
        """Return whether the filter says which samples it wants, withdrawn ones or others."""
        return any(positive(name) == WITHDRAWN for name in self.by_name)

    @property
    def is_about_reviews(self) -> bool:
        """Return whether a part of the filter, or what a part negates, reads reviews."""
        parts = [part for field, values in self for part, _ in positive_parts(field, values)]
        return any(map(is_about_reviews, parts))

    @cached_property
    def elsewhere(self) -> str:
        """The device of the filter if it is not the reference device, otherwise ''; at most two small queries."""
        field = FIELDS["device"]
        assert isinstance(field, DeviceField)
        return field.elsewhere(self.get("device"))

    def condition(self, field: Field, values: Values) -> Q:
        """Return the condition of one parameter; those on evidence refer to the device of the filter."""
        if isinstance(field, Negated):
            return negation([[self.condition(*part) for part in field.parts(value)] for value in values])
        if field.name in ON_DEVICE and self.elsewhere:
            return samples_with(ON_DEVICE[field.name], values, self.elsewhere)
        if self.hidden and is_about_reviews(field):
            return self.hidden.narrowed(field, values)
        return field.condition(values)

    def querystring(self) -> str:
        """Return the canonical form: filters with the same parameters have the same text."""
        return urlencode(self.values, doseq=True)

    def words(self) -> str:
        """Return the filter in words: Passed CUDA samples with a trace of under 4,000 tokens."""
        before = [field.say(values) for field, values in self if field.precedes(values)]
        after = [self.say(field, values) for field, values in self if not field.precedes(values)]
        sentence = " ".join([", ".join(before) or "all", "samples", *after])
        return sentence[0].upper() + sentence[1:]

    def say(self, field: Field, values: Values) -> str:
        """Return the words of one part. The second bound of a range does not repeat the name of the range."""
        if isinstance(field, BoundField) and not field.is_min and f"{field.group}_min" in self:
            return f"and {field.amount(values)}"
        return field.say(values)

    def typed(self) -> str:
        """Return the filter in the form that parse_query() parses."""
        return " ".join(field.typed(value) for field, values in self for value in values)

    def having(self, name: str, *texts: str) -> BrowseFilter:
        """Return the filter with one parameter set to these texts, or removed if there are none."""
        return self.from_params({**self.by_name, name: list(texts)}, self.hidden)

    def lacking(self, name: str, value: str) -> BrowseFilter:
        return self.having(name, *(other for other in self.get(name) if other != value))


def clean_values(field: Field, texts: list[str]) -> Values:
    cleaned = dict.fromkeys(field.clean(part) for text in texts for part in field.split(text))
    if len(cleaned) > 1 and not field.many:
        raise ValueError(f"{field.name} can be given once; {len(cleaned)} different values were.")
    return tuple(value for value in cleaned if value)
