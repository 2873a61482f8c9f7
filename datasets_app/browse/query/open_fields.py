"""Filters whose values are numbers or free text."""

import math
import re
from abc import abstractmethod
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from datasets_app.browse.query.fields import Field, Values
from datasets_app.db.text_index import matching_ids, numbers_with, pieces

LARGEST_INTEGER = 2**31 - 1
LONGEST_SEARCH = 500


@dataclass(frozen=True, kw_only=True)
class BoundField(Field):
    """One end of a range. `2` means at least (or at most) 2; `>2` and `<2` exclude the bound itself."""

    lookup: str
    is_min: bool
    whole: bool = False
    unit: str = ""
    many: bool = False

    @property
    def strict(self) -> str:
        return ">" if self.is_min else "<"

    def clean(self, text: str) -> str:
        sign = self.strict if text.strip().startswith(self.strict) else ""
        digits = text.strip().removeprefix(sign).removeprefix("=").replace(",", "").strip().rstrip("x×")
        return sign + self.number_text(digits, text)

    def number_text(self, digits: str, text: str) -> str:
        try:
            number = int(digits) if self.whole else float(digits)
        except ValueError:
            number = math.nan
        if not 0 <= number <= LARGEST_INTEGER:  # also false for NaN
            kind = "a whole number" if self.whole else "a number"
            raise ValueError(
                f"{self.name} accepts {kind} such as {self.example()}, not {text.strip()!r:.80}."
            )
        if self.whole:
            return str(number)  # 1e+06, which :g makes of a million, is not read as a whole number again
        return f"{number:g}" if number == float(f"{number:g}") else repr(number)

    def example(self) -> str:
        return "4000" if self.whole else "1.5"

    def value(self, text: str) -> tuple[bool, float]:
        """Return (whether the bound itself is excluded, the number)."""
        strict = text.startswith(self.strict)
        return strict, float(text.removeprefix(self.strict))

    def condition(self, values: Values) -> Q:
        strict, number = self.value(values[0])
        operator = ("gt" if strict else "gte") if self.is_min else ("lt" if strict else "lte")
        return Q(**{f"{self.lookup}__{operator}": int(number) if self.whole else number})

    def amount(self, values: Values) -> str:
        strict, number = self.value(values[0])
        bound = ("over" if strict else "at least") if self.is_min else ("under" if strict else "at most")
        shown = f"{number:,.0f}" if self.whole else f"{number:g}"
        return f"{bound} {shown}{self.unit}"

    def say(self, values: Values) -> str:
        return self.phrase.format(self.amount(values))

    def chip(self, value: str) -> str:
        return f"{self.label}: {self.amount((value,))}"

    def typed(self, value: str) -> str:
        strict, _ = self.value(value)
        sign = "" if strict else self.strict + "="
        return f"{self.group}:{sign}{value}"


@dataclass(frozen=True, kw_only=True)
class SearchField(Field):
    """A part with an index of its own, which returns all numbers at once or tests row after row."""

    @abstractmethod
    def numbers(self, values: Values, most: int, seconds: float) -> tuple[list[int], bool]:
        """Return the numbers (db.facet_index) of matching samples, within these bounds, and whether they are
        complete.
        """

    @abstractmethod
    def walk(self, values: Values) -> Q:
        """Return a condition to test on each row of a walk in the list's order, for searches that match many rows."""


@dataclass(frozen=True, kw_only=True)
class TextField(SearchField):
    """Words to find in the texts."""

    many: bool = False

    def clean(self, text: str) -> str:
        if len(text) > LONGEST_SEARCH:
            raise ValueError(
                f"{self.name} accepts at most {LONGEST_SEARCH} characters; search for fewer words."
            )
        return " ".join(quoted_name(piece) for piece in pieces(text))

    def condition(self, values: Values) -> Q:
        return Q(pk__in=matching_ids(connection.vendor, "sample", values[0]))

    def numbers(self, values: Values, most: int, seconds: float) -> tuple[list[int], bool]:
        return numbers_with(values[0], most, seconds)

    def walk(self, values: Values) -> Q:
        return Q(pk__holds_words=values[0])

    def say(self, values: Values) -> str:
        text = values[0]
        return self.phrase.format(text if '"' in text else f"“{text}”")

    def chip(self, value: str) -> str:
        return f"text: {value}"

    def typed(self, value: str) -> str:
        return value


def quoted_name(piece: str) -> str:
    """Return a word in quotes if the typed form would parse it as a filter, a negation or an operator, because it was
    meant as a search.
    """
    return f'"{piece}"' if re.match(r"-?[A-Za-z_]+:(?!:)\S|-[A-Za-z_]|(?:NOT|AND|OR)$", piece) else piece
