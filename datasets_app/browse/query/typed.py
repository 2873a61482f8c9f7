"""Parses the typed form of a filter: outcome:passed speedup:>2 trace:<4000 "warp shuffle"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.faults import Fault, TypedError, suggested_names, suggested_values
from datasets_app.browse.query.fields import ChoiceField, Field
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.negated import MINUS, PARAMETERS
from datasets_app.browse.query.ranges import bound_texts
from datasets_app.browse.query.vocabulary import FIELDS, RANGES
from datasets_app.models.bounds import LONGEST_QUERY
from datasets_app.text_input.validate import storable_fault

# A minus or NOT, if any; then name:value, where the value may be quoted; else a quoted phrase; else anything up to a
# space. A name is not followed by a C++ scope: torch::relu is a word to search for. -1 is a number, not a negation.
TOKEN = re.compile(
    r'(?P<negation>-(?=[A-Za-z_"])|NOT\s+(?=\S))?(?:'
    r'(?P<name>[A-Za-z_]+):(?!:)(?P<value>"(?:\\.|[^"\\])*"?|[^\s"]+)|(?P<phrase>"[^"]*"?\*?)|(?P<word>[^\s"]+))'
)
NEGATED = re.compile(r'-[A-Za-z_"]')
TYPED_NAMES = sorted({*(set(FIELDS) - {"q"}), *RANGES})


@dataclass(frozen=True)
class Token:
    """One word of the line. Positions count from 0, as in Python slices."""

    name: str  # "" for words to search
    text: str
    start: int
    end: int
    value_start: int
    name_start: int = 0
    negated: bool = False

    @property
    def parameter(self) -> str:
        """The parameter of the filter that this word sets; for a range, the group of its bounds."""
        return (MINUS if self.negated else "") + (RANGES.get(self.name, self.name) or "q")

    @property
    def is_quoted(self) -> bool:
        return self.end - self.value_start != len(self.text)


def unquote(value: str) -> str:
    if not value.startswith('"'):
        return value
    inner = re.fullmatch(r'"((?:\\.|[^"\\])*)\\?"?', value)
    return re.sub(r"\\(.)", r"\1", inner[1]) if inner else value


def tokens(text: str) -> Iterator[Token]:
    for match in TOKEN.finditer(text):
        what = "value" if match["name"] else "phrase" if match["phrase"] else "word"
        text_typed = unquote(match["value"]) if match["name"] else match[what]
        yield Token(
            (match["name"] or "").lower(),
            text_typed,
            match.start(),
            match.end(),
            match.start(what),
            match.start("name") if match["name"] else match.start(what),
            bool(match["negation"]),
        )


def parse_query(text: str) -> BrowseFilter:
    """Return the typed filter. Raises TypedError with a sentence and a position per fault."""
    if fault := storable_fault("The line", text, LONGEST_QUERY):
        raise TypedError(text[:LONGEST_QUERY], [Fault(0, min(len(text), LONGEST_QUERY), fault)])
    params: dict[str, list[str]] = {}
    faults: list[Fault] = []
    setters: dict[str, Token] = {}
    for token in tokens(text):
        faults += faults_of(token)
        for name, value in parameters(token) if not faults else []:
            params.setdefault(name, []).append(value)
            setters[name] = token
    if faults:
        raise TypedError(text, faults)
    return filter_of(text, params, setters)


def filter_of(text: str, params: dict[str, list[str]], setters: dict[str, Token]) -> BrowseFilter:
    """Return the filter of all words; of two that contradict each other, both are reported."""
    if "q" in params:
        params["q"] = [" ".join(params["q"])]
    try:
        return BrowseFilter.from_params(params)
    except BrowseError as error:
        at = {name: setters[name] for name in error.errors}
        raise TypedError(
            text, [pointed(at[name], " ".join(error.errors[name])) for name in error.errors]
        ) from error


def as_filters(text: str) -> BrowseFilter | None:
    """Return the filter that words with a colon would be if they were typed without quotes; None if they are none."""
    unquoted = re.sub(r'"(-?[A-Za-z_]+:[^\s"]+)"', r"\1", text)
    if unquoted == text and not re.search(r"[A-Za-z_]:(?!:)\S", text):
        return None
    try:
        found = parse_query(unquoted)
    except BrowseError:
        return None
    return found if any(field.name != "q" for field, _ in found) else None


def pointed(token: Token, sentence: str, start: int | None = None, instead: tuple[str, ...] = ()) -> Fault:
    """Return a fault of this token's value, or of its part that begins at `start`."""
    start = token.value_start if start is None else start
    return Fault(start, token.end, f"At character {start + 1}: {sentence}", instead)


def unclear_negation(token: Token) -> list[Fault]:
    """Return the fault of a NOT that negates nothing, or what is negated already."""
    if token.name or not (token.text == "NOT" or (token.negated and NEGATED.match(token.text))):
        return []
    instead = f'"{token.text}"'
    sentence = f"At character {token.start + 1}: "
    if token.negated and token.text != "NOT":
        sentence += "this is negated twice; write NOT or -, once."
    else:
        sentence += (
            "NOT needs a filter or a word after it, such as NOT outcome:passed. "
            f"To search for the word itself, put it in quotes: {instead}."
        )
    return [Fault(token.start, token.end, sentence)]


def unclear_operator(token: Token) -> list[Fault]:
    """Return the fault of an unquoted AND or OR, which would be searched for as a word among the filters."""
    if token.name or token.text not in ("AND", "OR"):
        return []
    sentence = (
        f"At character {token.start + 1}: {token.text} is not needed: all parts of the line must match, and values of "
        "one filter are alternatives, such as outcome:passed,cheated. To search for the word itself, put it in quotes: "
        f'"{token.text}".'
    )
    return [Fault(token.start, token.end, sentence)]


def faults_of(token: Token) -> list[Fault]:
    """Return the faults of this token by itself."""
    if token.name and token.name not in TYPED_NAMES:
        return [unknown_filter(token)]
    if unclear := unclear_negation(token) or unclear_operator(token):
        return unclear
    try:
        for name, value in parameters(token):
            check(PARAMETERS[name], value)
    except ValueError as error:
        return [value_fault(token, as_typed(token, str(error)))]
    return []


def as_typed(token: Token, sentence: str) -> str:
    """Return the sentence with the typed name in place of a bound's parameter (speedup_min), which nobody typed."""
    return re.sub(r"^\w+_(min|max)\b", token.name, sentence) if token.name in RANGES else sentence


def check(field: Field, value: str) -> None:
    for part in field.split(value):
        field.clean(part)


def value_fault(token: Token, sentence: str) -> Fault:
    """Return the fault of the one invalid part of a list, with the closest values as suggestions."""
    field = FIELDS.get(token.name)
    if not isinstance(field, ChoiceField) or token.is_quoted:
        return pointed(token, sentence)
    start = token.value_start
    for part in token.text.split(","):
        try:
            check(field, part)
        except ValueError:
            instead = suggested_values(field, part)
            return Fault(start, start + len(part), f"At character {start + 1}: {sentence}", instead)
        start += len(part) + 1
    return pointed(token, sentence)


def parameters(token: Token) -> list[tuple[str, str]]:
    """Return the parameters of one token. Raises ValueError for an invalid range."""
    if token.name in RANGES:
        ends = bound_texts(token.name, token.text)
        if not token.negated:
            return [(f"{token.parameter}_{end}", value) for end, value in ends.items()]
    return [(token.parameter, token.text)]


def unknown_filter(token: Token) -> Fault:
    near = suggested_names(token.name, TYPED_NAMES)
    hint = f"did you mean {near[0]}:?" if near else f"the filters are {', '.join(TYPED_NAMES)}."
    return Fault(
        token.name_start,
        token.name_start + len(token.name),
        f"At character {token.name_start + 1}: there is no filter {token.name}:; {hint} "
        f'To search for the text itself, put it in quotes: "{token.name}:{token.text}".',
        near,
    )
