"""The typed form of a filter: outcome:passed speedup:>2 trace:<4000 "warp shuffle"."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.browse.errors import BrowseError
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.open_fields import BoundField
from datasets_app.browse.vocabulary import FIELDS, RANGES

# name:value, where a value may stand in quotes; else a phrase in quotes; else anything up to a space.
# The name is no C++ scope: torch::relu is a word to search for.
TOKEN = re.compile(
    r'(?P<name>[A-Za-z_]+):(?!:)(?P<value>"(?:\\.|[^"\\])*"?|[^\s"]+)|(?P<phrase>"[^"]*"?\*?)|(?P<word>[^\s"]+)'
)
RANGE = re.compile(r"(?P<sign>[<>]=?)(?P<bound>[^<>=]+)|(?P<low>[^<>=.]*(?:\.\d+)?)\.\.(?P<high>[^<>=]*)")
TYPED_NAMES = sorted({*(set(FIELDS) - {"q"}), *RANGES})


@dataclass(frozen=True)
class Token:
    name: str  # "" for words to search
    text: str
    column: int  # 1-based, for a pointed error


def unquote(value: str) -> str:
    if not value.startswith('"'):
        return value
    inner = re.fullmatch(r'"((?:\\.|[^"\\])*)\\?"?', value)
    return re.sub(r"\\(.)", r"\1", inner[1]) if inner else value


def tokens(text: str) -> Iterator[Token]:
    for match in TOKEN.finditer(text):
        if match["name"]:
            yield Token(match["name"].lower(), unquote(match["value"]), match.start() + 1)
        else:
            yield Token("", match["phrase"] or match["word"], match.start() + 1)


def parse_query(text: str) -> BrowseFilter:
    """The filter that was typed. Raises BrowseError with a sentence that points at the fault."""
    params: dict[str, list[str]] = {}
    for token in tokens(text):
        for name, value in parameters(token):
            params.setdefault(name, []).append(value)
    if "q" in params:
        params["q"] = [" ".join(params["q"])]
    return BrowseFilter.from_params(params)


def parameters(token: Token) -> list[tuple[str, str]]:
    """What one token sets."""
    if not token.name:
        return [("q", token.text)]
    if token.name in RANGES:
        return range_parameters(RANGES[token.name], token)
    if token.name in FIELDS and token.name != "q":
        return [(token.name, token.text)]
    raise BrowseError({"query": [unknown_filter(token)]})


def unknown_filter(token: Token) -> str:
    near = difflib.get_close_matches(token.name, TYPED_NAMES, n=1)
    hint = f"did you mean {near[0]}:?" if near else f"there are {', '.join(TYPED_NAMES)}."
    return (
        f"At character {token.column}: no filter is called {token.name}:; {hint} "
        f'To search for the text itself, put it in quotes: "{token.name}:{token.text}".'
    )


def range_parameters(group: str, token: Token) -> list[tuple[str, str]]:
    match = RANGE.fullmatch(token.text)
    if match is None:
        raise BrowseError({
            "query": [
                f"At character {token.column}: {token.name}: takes a bound or a range, such as "
                f"{token.name}:>2 or {token.name}:2..5, not {token.text!r:.60}."
            ]
        })  # fmt: skip
    if match["sign"]:
        return [bound_parameter(group, match["sign"], match["bound"])]
    ends = [(f"{group}_min", match["low"]), (f"{group}_max", match["high"])]
    return [(name, value) for name, value in ends if value]


def bound_parameter(group: str, sign: str, bound: str) -> tuple[str, str]:
    name = f"{group}_min" if sign[0] == ">" else f"{group}_max"
    field = FIELDS[name]
    assert isinstance(field, BoundField)
    return name, bound if sign.endswith("=") else field.strict + bound
