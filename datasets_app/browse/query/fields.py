"""The kinds of filter: how each parses its text, narrows a queryset, and is described in words."""

import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.db.models import Q

from datasets_app.browse.staleness import staleness
from datasets_app.models.sample import superseded_ids
from datasets_app.text_input.numbers import whole_number

NONE = "none"  # the text that selects rows whose field is empty
LONGEST_VALUE = 200
YES, NO = "yes", "no"
FLAGS = {"yes": YES, "true": YES, "1": YES, "on": YES, "no": NO, "false": NO, "0": NO, "off": NO}

Values = tuple[str, ...]
Admits = Callable[[str], bool]


def either(words: Iterable[str]) -> str:
    """Return "a, b or c"."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def quote(value: str) -> str:
    """Return a value quoted for the typed form if it contains spaces or quotes; typed.unquote() reverses this."""
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


@dataclass(frozen=True, kw_only=True)
class Field(ABC):
    """One parameter. `before`: its words precede the noun ("passed samples") instead of following it."""

    name: str
    label: str
    phrase: str = "{}"
    before: bool = False
    many: bool = True
    together: bool = False  # several values are combined with AND instead of OR
    group: str = ""  # for a bound: the name of its range

    def clean(self, text: str) -> str:
        """Return the value as stored in the URL. Raises ValueError with a sentence that says what to do."""
        if len(text) > LONGEST_VALUE:
            raise ValueError(f"{self.name} accepts at most {LONGEST_VALUE} characters; shorten it.")
        return text

    def split(self, text: str) -> list[str]:
        return [text]

    @abstractmethod
    def condition(self, values: Values) -> Q:
        """Return the SQL condition for these values."""

    def admits(self, values: Values) -> Admits | None:
        """Return a test of the facet's stored values; None if those do not suffice."""
        return None

    def word(self, value: str) -> str:
        return value

    def facet_word(self, value: str) -> str:
        return "(none)" if value == NONE else value

    def precedes(self, values: Values) -> bool:
        """Return whether the words of these values come before the noun."""
        return self.before

    def say(self, values: Values) -> str:
        return self.phrase.format(either(self.word(value) for value in values))

    def chip(self, value: str) -> str:
        """Return the label of one value, for the button that removes it."""
        return f"{self.label}: {self.facet_word(value)}"

    def typed(self, value: str) -> str:
        plain = re.fullmatch(r"[^\s\"\\:][^\s\"\\]*", value)
        return f"{self.name}:{value if plain else quote(value)}"


@dataclass(frozen=True, kw_only=True)
class ChoiceField(Field):
    """A closed list: value to word. Several may be given, also separated by commas."""

    lookup: str
    choices: dict[str, str]
    none: str = ""  # the word for an empty field; "" if it cannot be empty
    groups: dict[str, list[str]] = field(default_factory=dict)  # a name for several choices together
    adjectives: frozenset[str] | None = None  # of the values those that read before the noun; None: all

    def precedes(self, values: Values) -> bool:
        return self.before and (self.adjectives is None or self.adjectives.issuperset(values))

    def say(self, values: Values) -> str:
        said = super().say(values)
        return f"with {self.label} {said}" if self.before and not self.precedes(values) else said

    def split(self, text: str) -> list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]

    def allowed(self) -> list[str]:
        return [*self.choices, *self.groups, *([NONE] if self.none else [])]

    def clean(self, text: str) -> str:
        value = text.strip().lower().replace(" ", "_")
        if value not in self.allowed():
            raise ValueError(
                f"{self.name} has no value {text.strip()!r:.80}; choose from {', '.join(self.allowed())}."
            )
        return value

    def stored(self, values: Values) -> set[str]:
        """Return the values that the column holds in the requested rows."""
        return {text for value in values for text in self.groups.get(value, ["" if value == NONE else value])}

    def condition(self, values: Values) -> Q:
        return Q(**{f"{self.lookup}__in": sorted(self.stored(values))})

    def admits(self, values: Values) -> Admits | None:
        return self.stored(values).__contains__

    def word(self, value: str) -> str:
        return self.none if value == NONE else self.choices.get(value, value)

    def facet_word(self, value: str) -> str:
        return self.word(value)


@dataclass(frozen=True, kw_only=True)
class StateField(ChoiceField):
    """A closed list in which each choice is a condition of its own. `beside`: choices without facet bits."""

    conditions: dict[str, Q]
    beside: tuple[str, ...] = ()

    def admits(self, values: Values) -> Admits | None:
        return None if set(values) & set(self.beside) else super().admits(values)

    def condition(self, values: Values) -> Q:
        asked = self.conditions[values[0]]
        for value in values[1:]:
            asked |= self.conditions[value]
        return asked


@dataclass(frozen=True, kw_only=True)
class NameField(Field):
    """An open name that must match in full. `none` is the word for rows without one."""

    lookup: str
    none: str = ""

    def stored(self, values: Values) -> set[str]:
        return {"" if self.none and value == NONE else value for value in values}

    def condition(self, values: Values) -> Q:
        return Q(**{f"{self.lookup}__in": sorted(self.stored(values))})

    def admits(self, values: Values) -> Admits | None:
        return self.stored(values).__contains__

    def say(self, values: Values) -> str:
        named = [value for value in values if not (self.none and value == NONE)]
        parts = [self.phrase.format(either(named))] if named else []
        return either([*parts, self.none] if len(named) < len(values) else parts)


@dataclass(frozen=True, kw_only=True)
class WholeField(NameField):
    """A whole number that names something, such as a level; `none` is the word for rows without one."""

    most: int

    def split(self, text: str) -> list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]

    def clean(self, text: str) -> str:
        value = text.strip().lower()
        if value == NONE:
            return NONE
        number = whole_number(value, 0, self.most)
        if number is None:
            raise ValueError(
                f"{self.name} accepts a whole number up to {self.most:,}, not {text.strip()!r:.80}."
            )
        return str(number)

    def condition(self, values: Values) -> Q:
        among = Q(**{f"{self.lookup}__in": [int(value) for value in values if value != NONE]})
        return among | Q(**{f"{self.lookup}__isnull": True}) if NONE in values else among


@dataclass(frozen=True, kw_only=True)
class ConditionField(Field):
    """A text that needs more than one lookup: `when` returns the condition of one value."""

    when: Callable[[str], Q]
    fits: Callable[[str, str], bool] | None = None  # the same test, for a value and a stored value

    def condition(self, values: Values) -> Q:
        asked = self.when(values[0])
        for value in values[1:]:
            asked |= self.when(value)
        return asked

    def admits(self, values: Values) -> Admits | None:
        if (fits := self.fits) is None or NONE in values:  # a sample without one has no stored value
            return None
        return lambda stored: any(fits(value, stored) for value in values)


@dataclass(frozen=True, kw_only=True)
class FlagField(Field):
    lookup: str
    yes: str
    no: str
    many: bool = False

    def clean(self, text: str) -> str:
        if text.strip().lower() not in FLAGS:
            raise ValueError(f"{self.name} accepts yes or no, not {text.strip()!r:.80}.")
        return FLAGS[text.strip().lower()]

    def condition(self, values: Values) -> Q:
        return Q(**{self.lookup: values[0] == YES})

    def admits(self, values: Values) -> Admits | None:
        return values[0].__eq__

    def say(self, values: Values) -> str:
        return self.yes if values[0] == YES else self.no


@dataclass(frozen=True, kw_only=True)
class StalenessField(FlagField):
    """A filter on the staleness of evidence, which depends on the workers' current versions, not on a column alone."""

    def facet_word(self, value: str) -> str:
        return "stale" if value == YES else "up to date"

    def condition(self, values: Values) -> Q:
        return staleness(values[0])


@dataclass(frozen=True, kw_only=True)
class SupersededField(FlagField):
    """A filter on whether an accepted edit replaced the sample by a revision."""

    def condition(self, values: Values) -> Q:
        replaced = Q(pk__in=superseded_ids())
        return replaced if values[0] == YES else ~replaced


@dataclass(frozen=True, kw_only=True)
class IdField(Field):
    """The id of another row, or `none`."""

    lookup: str
    many: bool = False
    none: str = ""

    def clean(self, text: str) -> str:
        if self.none and text.strip().lower() == NONE:
            return NONE
        try:
            return str(uuid.UUID(text.strip()))
        except ValueError:
            raise ValueError(
                f"{self.name} accepts an id such as 1b4e28ba-2fa1-5d3e-883f-0016d3cca427; "
                f"{text.strip()!r:.80} is not one. Copy the id from the page's URL."
            ) from None

    def admits(self, values: Values) -> Admits | None:
        wanted = "" if values[0] == NONE else values[0].replace("-", "")
        return wanted.__eq__

    def condition(self, values: Values) -> Q:
        if values[0] == NONE:
            return Q(**{f"{self.lookup}__isnull": True})
        return Q(**{self.lookup: values[0]})

    def word(self, value: str) -> str:
        return value[:8]

    def say(self, values: Values) -> str:
        return self.none if values[0] == NONE else super().say(values)
