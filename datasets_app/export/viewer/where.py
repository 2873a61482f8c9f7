"""The filter of the dataset API: comparisons of columns with AND, OR, NOT and parentheses, made into a lookup.

    "speedup_over_eager" > 2 AND (language = 'cuda' OR reason IS NULL)

It is parsed here and never reaches the database as text. Columns are those that a release froze; the three texts are
searched instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from datasets_app.export.columns import COLUMNS, Column, Origin
from datasets_app.export.types import is_list

LONGEST_FILTER = 1000  # characters
MOST_COMPARISONS = 20
DEEPEST = 10  # parentheses and NOTs inside each other
LOOKUPS = {"=": "", "==": "", "<": "__lt", "<=": "__lte", ">": "__gt", ">=": "__gte"}
TOKEN = re.compile(
    r"""\s*(?:(?P<string>'(?:[^']|'')*')|(?P<quoted>"[^"]*")|(?P<number>-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?)"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<operator><=|>=|<>|!=|==|=|<|>|\(|\)))"""
)
OF_CONTENT = {"uuid": "sample_id", "id": "sample_id", "task_id": "sample__task_id"}
FILTERED: dict[str, Column] = {
    column.name: column
    for column in COLUMNS
    if not is_list(column.type) and (column.origin is not Origin.CONTENT or column.name in OF_CONTENT)
}
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "float64": (int, float),
    "int64": (int, float),
    "bool": (bool,),
}


class WhereError(ValueError):
    """A filter that cannot be read; the message says what to write."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


def lookup_of(column: Column) -> str:
    """Return the lookup path of a column from a release's row."""
    if column.origin is Origin.ROW:
        return column.path
    return OF_CONTENT.get(column.name) or f"snapshot__{column.name}"


def column_named(name: str) -> Column:
    if name not in FILTERED:
        if column := next((column for column in COLUMNS if column.name == name), None):
            reason = ": it is a list" if is_list(column.type) else "; search finds rows by their texts"
            raise WhereError(f"{name} cannot be compared{reason}.")
        raise WhereError(f"There is no column {name[:60]!r}; these are: {', '.join(FILTERED)}.")
    return FILTERED[name]


def order_by(text: str) -> list[str]:
    """Return the fields to order by, from a column's name and perhaps DESC. Raises WhereError."""
    name, _, direction = text.strip().partition(" ")
    if direction.strip().upper() not in ("", "ASC", "DESC"):
        raise WhereError(f"orderby is a column's name, then ASC or DESC, not {text[:60]!r}.")
    minus = "-" if direction.strip().upper() == "DESC" else ""
    return [minus + lookup_of(column_named(name.strip('"'))), "position"]


def parse(text: str) -> Q:
    """Return the filter as a lookup over a release's rows. Raises WhereError."""
    if len(text) > LONGEST_FILTER:
        raise WhereError(f"The filter has {len(text):,} characters; at most {LONGEST_FILTER:,} are read.")
    parser = Parser(list(tokens(text)))
    found = parser.either(0)
    if parser.left:
        raise WhereError(
            f"Nothing is expected before {parser.left[0].text[:40]!r}: join comparisons by AND or OR."
        )
    return found


def tokens(text: str) -> Iterator[Token]:
    place = 0
    while text[place:].strip():
        match = TOKEN.match(text, place)
        if match is None:
            raise WhereError(
                f"{text[place:].strip()[:20]!r} cannot be read: quote texts as 'cuda', columns as \"name\"."
            )
        yield Token(str(match.lastgroup), match[str(match.lastgroup)])
        place = match.end()


class Parser:
    """Recursive descent: either (OR) over both (AND) over one (NOT, parentheses, a comparison)."""

    def __init__(self, left: list[Token]) -> None:
        self.left = left
        self.comparisons = 0

    def next(self, expected: str) -> Token:
        if not self.left:
            raise WhereError(f"The filter ends where {expected} is expected.")
        return self.left.pop(0)

    def take(self, *words: str) -> str:
        """Take the next token if it is one of these, in any case, and return it; '' otherwise."""
        if self.left and self.left[0].kind in ("word", "operator") and self.left[0].text.upper() in words:
            return self.left.pop(0).text.upper()
        return ""

    def either(self, depth: int) -> Q:
        found = self.both(depth)
        while self.take("OR"):
            found |= self.both(depth)
        return found

    def both(self, depth: int) -> Q:
        found = self.one(depth)
        while self.take("AND"):
            found &= self.one(depth)
        return found

    def one(self, depth: int) -> Q:
        if depth > DEEPEST:
            raise WhereError(f"At most {DEEPEST} parentheses are read inside each other.")
        if self.take("NOT"):
            return ~self.one(depth + 1)
        if self.take("("):
            found = self.either(depth + 1)
            if not self.take(")"):
                raise WhereError("A parenthesis is not closed.")
            return found
        return self.comparison()

    def comparison(self) -> Q:
        self.comparisons += 1
        if self.comparisons > MOST_COMPARISONS:
            raise WhereError(f"At most {MOST_COMPARISONS} comparisons are read.")
        token = self.next("a column")
        if token.kind not in ("word", "quoted"):
            raise WhereError(f"A column's name is expected, not {token.text[:40]!r}.")
        column = column_named(token.text.strip('"'))
        empty = (
            Q(**{f"{lookup_of(column)}": None})
            if column.origin in (Origin.FACT, Origin.EVIDENCE)
            else Q(pk=None)
        )
        if self.take("IS"):
            negated = self.take("NOT")
            if not self.take("NULL"):
                raise WhereError("After IS stands NULL or NOT NULL.")
            return ~empty if negated else empty
        operator = self.next("a comparison").text
        value = value_of(self.next("a value"), column)
        if operator in ("!=", "<>"):
            return ~compared(column, "", value) & ~empty
        if operator not in LOOKUPS:
            raise WhereError(f"{operator[:20]!r} does not compare; use one of = != < <= > >= IS.")
        # PostgreSQL orders a JSON null before every number.
        return compared(column, LOOKUPS[operator], value) & ~empty


def compared(column: Column, suffix: str, value: Any) -> Q:
    return Q(**{lookup_of(column) + suffix: value})


def value_of(token: Token, column: Column) -> Any:
    """Return the value, which must be of the column's type. Raises WhereError."""
    if token.kind == "string":
        value: Any = token.text[1:-1].replace("''", "'")
    elif token.kind == "number":
        value = float(token.text) if re.search(r"[.eE]", token.text) else int(token.text)
    elif token.text.lower() in ("true", "false"):
        value = token.text.lower() == "true"
    else:
        raise WhereError(f"A value is expected, not {token.text[:40]!r}: quote texts as 'cuda'.")
    kinds = KINDS[column.type]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise WhereError(f"{column.name} is {column.type}, which {token.text[:40]} is not.")
    return as_id(column, value)


def as_id(column: Column, value: Any) -> Any:
    """Return the value; for a column of ids it must be a UUID, as no other is stored."""
    if column.name in OF_CONTENT and not re.fullmatch(
        r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", value
    ):
        raise WhereError(f"{column.name} is a UUID, which {value[:40]!r} is not.")
    return value
