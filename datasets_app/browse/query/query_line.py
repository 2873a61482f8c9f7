"""The query line of every page that accepts a typed filter, and the message for one that cannot be parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.faults import TypedError
from datasets_app.browse.query.filter import BESIDE, given
from datasets_app.browse.query.typed import parse_query
from datasets_app.browse.query.vocabulary import FIELDS, RANGES

Pairs = tuple[tuple[str, str], ...]
# Other parameters of such a page, kept with a new filter.
STAYS = ("sort", "columns", "density", "view", "bins", "on", "p", "k")
EXAMPLE = 'outcome:passed speedup:>2 trace:<4000 "warp shuffle"'


@dataclass(frozen=True)
class QueryLine:
    """`address` receives the line as `query`, with the parameters `beside`. `only`: the filters that it takes;
    all of them by default.
    """

    address: str
    typed: str
    beside: Pairs = ()
    button: str = "Search"
    example: str = EXAMPLE
    only: tuple[str, ...] = ()

    @property
    def filter_names(self) -> list[str]:
        names = self.only or tuple(FIELDS)
        return [name for name in names if name != "q" and not name.endswith(("_min", "_max"))]

    @property
    def range_names(self) -> list[str]:
        return [] if self.only else list(RANGES)


@dataclass(frozen=True)
class Refused:
    """`without`: the URL without the faulty parts. `offers`: (words, URL) of suggested lines."""

    line: QueryLine
    sentences: list[str]
    without: str
    text: str = ""  # the line, if its faults have positions
    carets: str = ""
    offers: tuple[tuple[str, str], ...] = ()


def refused(
    params: QueryDict, error: BrowseError, address: str, button: str = "Search", **line_is: Any
) -> Refused:
    """Return the content of an error page for `params`; the line is kept as typed, so that it can be corrected.

    `line_is`: further attributes of the line.
    """
    beside = tuple(
        (name, value) for name in STAYS for value in params.getlist(name) if name not in error.errors
    )
    line = QueryLine(address, params.get("query") or as_typed(params), beside, button, **line_is)
    without = without_faults(params, error, line)
    try:
        parse_query(line.typed)
    except TypedError as fault:
        return Refused(line, error.sentences, without, fault.text, fault.carets, offers(fault, line))
    return Refused(line, error.sentences, without)


def offers(error: TypedError, line: QueryLine) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            f"{instead} for {error.text[fault.start : fault.end]}",
            "?" + urlencode([("query", error.corrected(fault, instead)), *line.beside]),
        )
        for fault in error.faults
        for instead in fault.instead
    )


def without_faults(params: QueryDict, error: BrowseError, line: QueryLine) -> str:
    if isinstance(error, TypedError):
        return f"{line.address}?{urlencode([('query', error.without_faults), *line.beside])}"
    rest = [
        (name, value)
        for name, values in params.lists()
        for value in values
        if name not in error.errors and name not in BESIDE
    ]
    return f"{line.address}?{urlencode(rest) or 'view=all'}"


def as_typed(params: QueryDict) -> str:
    """Return the parameters of a faulty URL in the form of the query line."""
    names = [name for name in params if name not in BESIDE and name not in STAYS]
    return " ".join(
        {"q": text, "-q": f"-{text}"}.get(name, f"{name}:{text}")
        for name in names
        for text in given(params, name)
    )
