"""Parameters of a rule: typed values with bounds. The page's form and the validation both come from these."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

MAX_NAMES = 200


class ParameterError(ValueError):
    """A value that a rule cannot take; the message is a sentence for the person who wrote it."""


@dataclass(frozen=True, kw_only=True)
class Parameter(ABC):
    name: str
    title: str
    default: Any = None
    help: str = ""
    of_store: bool = False  # a number of rows or tasks out of the whole store, not of one task
    widget: ClassVar[str] = ""  # templates/curate/_<widget>.html

    @abstractmethod
    def check(self, value: Any) -> Any:
        """Return the value as the rule takes it. Raises ParameterError."""

    def from_form(self, values: list[str]) -> Any:
        """Return what was typed, converted if it can be; `check` judges it."""
        return values[-1].strip() if values else None

    def say(self, value: Any) -> str:
        return str(value)


def is_finite(value: int | float) -> bool:
    """Return whether a number is finite; a whole number that no float holds is not."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, kw_only=True)
class Number(Parameter):
    minimum: float | None = None
    maximum: float | None = None
    optional: bool = False  # None stands for "no bound"
    unit: str = ""
    widget = "number"
    step: ClassVar[str] = "any"

    def check(self, value: Any) -> float | None:
        if value is None and self.optional:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
            raise ParameterError(f"{self.title}: {value!r} is not a number.")
        if self.minimum is not None and value < self.minimum:
            raise ParameterError(f"{self.title}: {value} is below the least value, {self.minimum:g}.")
        if self.maximum is not None and value > self.maximum:
            raise ParameterError(f"{self.title}: {value} is above the greatest value, {self.maximum:g}.")
        return self.cast(value)

    def cast(self, value: int | float) -> float:
        return float(value)

    def from_form(self, values: list[str]) -> Any:
        text = super().from_form(values)
        if not text:
            return None
        for cast in (int, float):
            try:
                return cast(text)
            except ValueError:
                continue
        return text

    def say(self, value: Any) -> str:
        return "–" if value is None else f"{value:,g}{self.unit}" if value < 1e6 else f"{value:,}{self.unit}"


@dataclass(frozen=True, kw_only=True)
class Integer(Number):
    step = "1"

    def cast(self, value: int | float) -> int:
        if value != int(value):
            raise ParameterError(f"{self.title}: {value} is not a whole number.")
        return int(value)


@dataclass(frozen=True, kw_only=True)
class Day(Parameter):
    """A date as text, YYYY-MM-DD: definitions are JSON."""

    widget = "day"

    def check(self, value: Any) -> str:
        try:
            return date.fromisoformat(value).isoformat()
        except (TypeError, ValueError):
            raise ParameterError(f"{self.title}: {value!r} is not a date such as 2026-05-31.") from None


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    choices: tuple[tuple[str, str], ...]  # value, words
    widget = "choice"

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in dict(self.choices):
            raise ParameterError(f"{self.title}: {value!r} is not one of {', '.join(dict(self.choices))}.")
        return str(value)

    def say(self, value: Any) -> str:
        return dict(self.choices).get(value, str(value))


class Several(Parameter):
    """A list of words without repetition, in the order of the alphabet: the order means nothing."""

    def words(self, value: Any) -> list[str]:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            raise ParameterError(f"{self.title}: a list of words is needed, not {value!r}.")
        if not all(isinstance(word, str) and word.strip() == word for word in value):
            raise ParameterError(f"{self.title}: every entry must be a word without spaces around it.")
        if not value:
            raise ParameterError(f"{self.title}: choose at least one.")
        if len(value) > MAX_NAMES:
            raise ParameterError(f"{self.title}: {len(value)} entries; {MAX_NAMES} are the most.")
        return sorted(set(value))

    def from_form(self, values: list[str]) -> Any:
        return [word.strip() for value in values for word in value.split("\n") if word.strip()]

    def say(self, value: Any) -> str:
        return ", ".join(value)


@dataclass(frozen=True, kw_only=True)
class Choices(Several):
    choices: tuple[tuple[str, str], ...]
    widget = "choices"

    def check(self, value: Any) -> list[str]:
        words = self.words(value)
        for word in words:
            if word not in dict(self.choices):
                raise ParameterError(f"{self.title}: {word!r} is not one of {', '.join(dict(self.choices))}.")
        return words

    def say(self, value: Any) -> str:
        return ", ".join(dict(self.choices).get(word, word) for word in value)


@dataclass(frozen=True, kw_only=True)
class Names(Several):
    """Words from the store; `known` names the list that the page offers."""

    known: str
    optional: bool = False  # an empty list is a value
    widget = "names"

    def check(self, value: Any) -> list[str]:
        return [] if self.optional and value == [] else self.words(value)
