"""Negated filters: `-outcome=passed` in a URL, `-outcome:passed` or `NOT outcome:passed` in the query line.

A negated filter matches exactly the samples that the filter does not match, those without a value included: a sample
that was never verified matches `-outcome:passed`. Of several values none may match.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import reduce
from operator import and_

from django.db.models import Q

from datasets_app.browse.query.code_field import CodeField
from datasets_app.browse.query.fields import NONE, Field, Values, either
from datasets_app.browse.query.open_fields import BoundField, TextField
from datasets_app.browse.query.ranges import bound_texts, range_text
from datasets_app.browse.query.vocabulary import FIELDS, RANGES
from datasets_app.db.text_index import pieces

MINUS = "-"
Part = tuple[Field, Values]
# The start of a filter's words, and that of its negation.
NEGATIONS = {
    "without ": "with ",
    "with ": "without ",
    "not ": "",
    "that ": "that do not ",
    "whose code contains ": "whose code does not contain ",
}


@dataclass(frozen=True, kw_only=True)
class Negated(Field):
    """The negation of a filter."""

    @abstractmethod
    def parts(self, value: str) -> list[Part]:
        """Return the filters that match together what one value excludes."""

    def condition(self, values: Values) -> Q:
        return negation([[part.condition(wanted) for part, wanted in self.parts(value)] for value in values])

    def chip(self, value: str) -> str:
        (part, wanted) = self.parts(value)[0]
        return f"not {part.chip(wanted[0])}"


def negation(by_value: list[list[Q]]) -> Q:
    """Return the condition of rows that meet the conditions of no value."""
    return reduce(and_, (~reduce(and_, conditions) for conditions in by_value))


@dataclass(frozen=True, kw_only=True)
class NegatedField(Negated):
    of: Field

    def parts(self, value: str) -> list[Part]:
        return [(self.of, (value,))]

    def split(self, text: str) -> list[str]:
        return pieces(text) if isinstance(self.of, TextField) else self.of.split(text)

    def clean(self, text: str) -> str:
        return self.of.clean(text)

    def word(self, value: str) -> str:
        return self.of.word(value)

    def facet_word(self, value: str) -> str:
        return self.of.facet_word(value)

    def typed(self, value: str) -> str:
        return MINUS + self.of.typed(value)

    def say(self, values: Values) -> str:
        """Return "without outcome passed", "not written by kevin-32b", "with any suite"."""
        named = tuple(value for value in values if value != NONE)
        parts = [self.say_named(named)] if named else []
        return " and ".join([*parts, f"with any {self.of.label}"] if len(named) < len(values) else parts)

    def say_named(self, values: Values) -> str:
        if self.of.before:
            return f"without {self.of.label} {either(self.of.word(value) for value in values)}"
        if isinstance(self.of, CodeField | TextField):  # which say "and"
            words = self.of.phrase.format(either(self.quoted(value) for value in values))
        else:
            words = self.of.say(values)
        for start, negated in NEGATIONS.items():
            if words.startswith(start):
                return negated + words.removeprefix(start)
        return f"not {words}"

    @staticmethod
    def quoted(text: str) -> str:
        return text if '"' in text else f"“{text}”"


@dataclass(frozen=True, kw_only=True)
class NegatedRange(Negated):
    """The negation of a range; its values are ranges as they are typed."""

    def clean(self, text: str) -> str:
        texts = bound_texts(self.label, text.strip())
        if not texts:
            raise ValueError(f"{self.label}: lacks its bounds; write {self.label}:>2 or {self.label}:2..5.")
        bounds = {end: bound(self.label, end) for end in texts}
        ends = {end: (bounds[end], bounds[end].clean(texts[end])) for end in texts}
        if (
            len(ends) == 2
            and ends["min"][0].value(ends["min"][1])[1] > ends["max"][0].value(ends["max"][1])[1]
        ):
            raise ValueError(f"{self.label}: the lower bound is above the upper one; swap the two.")
        return range_text(ends)

    def parts(self, value: str) -> list[Part]:
        texts = bound_texts(self.label, value)
        return [(bound(self.label, end), (text,)) for end, text in texts.items()]

    def amount(self, value: str) -> str:
        return " and ".join(
            part.amount(wanted) for part, wanted in self.parts(value) if isinstance(part, BoundField)
        )

    def say(self, values: Values) -> str:
        return f"without {self.label} {either(self.amount(value) for value in values)}"

    def chip(self, value: str) -> str:
        return f"not {self.label}: {self.amount(value)}"

    def typed(self, value: str) -> str:
        return f"{MINUS}{self.label}:{value}"


def bound(group: str, end: str) -> BoundField:
    field = FIELDS[f"{group}_{end}"]
    assert isinstance(field, BoundField)
    return field


NEGATED: dict[str, Field] = {
    f"{MINUS}{field.name}": NegatedField(name=f"{MINUS}{field.name}", label=f"not {field.label}", of=field)
    for field in FIELDS.values()
    if not isinstance(field, BoundField)
} | {
    f"{MINUS}{group}": NegatedRange(name=f"{MINUS}{group}", label=group)
    for group in dict.fromkeys(RANGES.values())
}
# Every parameter of a filter, in the order in which they are described in words.
PARAMETERS: dict[str, Field] = {**FIELDS, **NEGATED}


def positive_parts(field: Field, values: Values) -> list[Part]:
    """Return the filters that a part consists of, or negates."""
    if isinstance(field, Negated):
        return [part for value in values for part in field.parts(value)]
    return [(field, values)]


def positive(name: str) -> str:
    """Return the name of the filter that a parameter is, or negates."""
    return name.removeprefix(MINUS)
