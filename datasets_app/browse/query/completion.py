"""Completions at the caret of the query line: names of filters, then values with the rows that each would leave."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.fields import ChoiceField, Field, quote
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.typed import TOKEN, TYPED_NAMES, parse_query
from datasets_app.browse.query.values import values_of
from datasets_app.browse.query.vocabulary import FIELDS, RANGES
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import size

MOST = 12
SHORTEST_VALUE = 2  # letters from which values are offered without their filter's name
BEGUN = re.compile(r'(?P<minus>(?:^|\s)(?:-|NOT\s+))?(?P<name>[A-Za-z_]+):(?!:)(?P<value>"[^"]*|[^\s"]*)$')
WORD = re.compile(r"[A-Za-z_]*$")
EXAMPLES = {
    "tokens": [("<4000", "under 4,000 tokens"), (">8500", "over 8,500 tokens"), ("4000..8500", "between the two")],
    "speedup": [(">1", "faster than eager"), (">2", "over 2×"), ("1..2", "from 1× to 2×"), ("<1", "slower than eager")],
    "claimed": [(">1", "claimed faster"), (">2", "claimed over 2×"), ("1..2", "claimed from 1× to 2×")],
    "ratio": [("<0.9", "measured less than claimed"), ("0.9..1.1", "as claimed, within 10 %"), (">1.1", "more")],
    "votes": [(">=2", "at least 2 reviewers"), ("<2", "at most one")],
    "agreement": [(">=1", "all votes agree with the verdict"), ("<1", "some votes do not")],
}  # fmt: skip


@dataclass(frozen=True)
class Option:
    text: str  # the text to insert
    hint: str = ""
    count: int | None = None


@dataclass(frozen=True)
class Completion:
    """Options that may replace the characters from `start` to `end` (from 0) of the line."""

    start: int
    end: int
    options: list[Option]


def complete(text: str, at: int, hidden: HiddenReviews | None = None) -> Completion:
    """Return the completions at the caret. Faults elsewhere in the line do not matter."""
    before = text[:at]
    if begun := BEGUN.search(before):
        name, value = begun["name"].lower(), begun["value"].lstrip('"')
        start, rest = begun.start("value"), rest_of(text, begun.start("name"), hidden)
        options = value_options(name, value, rest)
        if begun["minus"]:
            options = excluding(options, rest)
        return Completion(start, end_of_word(text, at), options)
    word = WORD.search(before)
    assert word is not None  # it may be empty
    if before[: word.start()].count('"') % 2:
        return Completion(at, at, [])  # inside a phrase
    return Completion(word.start(), end_of_word(text, at), name_options(word[0].lower()))


def end_of_word(text: str, at: int) -> int:
    follows = re.match(r'[^\s"]*"?', text[at:])
    return at + (follows.end() if follows else 0)


def rest_of(text: str, start: int, hidden: HiddenReviews | None) -> BrowseFilter:
    """Return the filter of the other words; invalid ones are ignored."""
    chosen: list[str] = []
    for match in TOKEN.finditer(text):
        if match.start() <= start < match.end() or not reads(" ".join([*chosen, match[0]])):
            continue
        chosen.append(match[0])
    return replace(parse_query(" ".join(chosen)), hidden=hidden)


def reads(text: str) -> bool:
    try:
        parse_query(text)
    except BrowseError:
        return False
    return True


def name_options(begun: str) -> list[Option]:
    """Return names that begin with the text, then names that contain it, then values that begin with it."""
    names = [name for name in TYPED_NAMES if not name.endswith(("_min", "_max"))]
    first = [name for name in names if name.startswith(begun)]
    within = [name for name in names if begun in name and name not in first]
    options = [Option(f"{name}:", hint_of(name)) for name in [*first, *within]]
    return [*options, *loose_values(begun)][: MOST if begun else None]


def hint_of(name: str) -> str:
    if name in RANGES:
        return "a bound or a range"
    label = FIELDS[name].label
    return "" if label == name else label


def loose_values(begun: str) -> list[Option]:
    if len(begun) < SHORTEST_VALUE:
        return []
    return [
        Option(f"{field.name}:{value} ", field.word(value))
        for field in FIELDS.values()
        if isinstance(field, ChoiceField)
        for value in field.allowed()
        if value.startswith(begun)
    ]


def value_options(name: str, begun: str, rest: BrowseFilter) -> list[Option]:
    if name in RANGES:
        return [Option(f"{text} ", hint) for text, hint in EXAMPLES[RANGES[name]] if text.startswith(begun)]
    if name not in FIELDS or name == "q":
        return []
    earlier, _, last = begun.rpartition(",") if isinstance(FIELDS[name], ChoiceField) else ("", "", begun)
    head = f"{earlier}," if earlier else ""
    counted = values_of(FIELDS[name], last, rest)[:MOST]
    return [Option(head + written(value) + " ", hint(FIELDS[name], value), n) for value, n in counted]


def excluding(options: list[Option], rest: BrowseFilter) -> list[Option]:
    """Return the options with the rows that remain without each value."""
    if all(option.count is None for option in options):
        return options
    total = size(Sets(rest, read()).matching())
    return [
        replace(option, count=None if option.count is None else total - option.count) for option in options
    ]


def written(value: str) -> str:
    return value if re.fullmatch(r"[^\s\"\\]+", value) else quote(value)


def hint(field: Field, value: str) -> str:
    word = field.facet_word(value)
    return "" if word == value else word
