"""A recipe as a JSON or TOML file, in and out.

    name = "mine"
    title = "Short and fast"
    description = ""
    version = 1                 # of the form, not of the recipe
    seed = 7
    device = ""                 # empty: the site's reference device
    together = "near_duplicates"
    allow_leaks = false

    [splits]
    train = 90.0

    [[rules]]
    rule = "speedup"
    basis = "measured"
    minimum = 1.0
    maximum = "any"             # TOML has no null; JSON has null here

The JSON form has the same keys. What is written depends on the recipe alone, so that a file that is imported and
exported again is the same, byte for byte. A file may leave out what has a default.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from datasets_app.curate import fault_lines, toml_text
from datasets_app.curate.definition import Definition, RecipeError, parse
from datasets_app.curate.parameters import Number
from datasets_app.curate.rules import RULES
from datasets_app.text_input.storable import UNSTORABLE

WORDS = ("name", "title", "description")
NONE = "any"  # in TOML, for a bound that is not set
FORMATS = ("json", "toml")
TYPES = {"json": "application/json", "toml": "application/toml"}


@dataclass(frozen=True)
class RecipeFile:
    """What a file says. The words are not checked yet: saving does."""

    name: str
    title: str
    description: str
    definition: Definition


def write_recipe(form: str, name: str, title: str, description: str, definition: Definition) -> str:
    """Return the file's text. Raises KeyError for an unknown form."""
    json_form = definition.to_json()
    rules = json_form.pop("rules")
    content = {"name": name, "title": title, "description": description, **json_form, "rules": rules}
    return WRITERS[form](content)


def as_json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_toml(content: dict[str, Any]) -> str:
    return toml_text.document({**content, "rules": [named_none(rule) for rule in content["rules"]]})


WRITERS: dict[str, Callable[[dict[str, Any]], str]] = {"json": as_json, "toml": as_toml}


def named_none(rule: dict[str, Any]) -> dict[str, Any]:
    """Return a rule with NONE for None."""
    spelt = {key: NONE if value is None else value for key, value in rule.items()}
    return {**spelt, "rules": [named_none(inner) for inner in rule["rules"]]} if "rules" in rule else spelt


# --- Reading ---


def read_recipe(text: str) -> RecipeFile:
    """Return what a JSON or TOML text says. Raises RecipeError with every fault, each with its rule and line."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    is_json = text.lstrip().startswith("{")
    data = from_json(text) if is_json else from_toml(text)
    lines = fault_lines.of_json(text) if is_json else fault_lines.of_toml(text)
    faults = word_faults(data)
    definition = None
    try:
        definition = parse({key: value for key, value in data.items() if key not in WORDS})
    except RecipeError as error:
        faults |= error.faults
    if faults or definition is None:
        raise RecipeError({place: fault_lines.located(place, said, lines) for place, said in faults.items()})
    name, title, description = (data.get(word, "") for word in WORDS)
    return RecipeFile(name, title, description, definition)


def word_faults(data: dict[str, Any]) -> dict[str, str]:
    faults = {
        word: f"The {word} is a text, not {data[word]!r}."
        for word in WORDS
        if not isinstance(data.get(word, ""), str)
    }
    if any(UNSTORABLE.search(text) for text in strings(data)):
        faults["recipe"] = (
            "A text in this file holds a character that cannot be stored (NUL or half of a pair)."
        )
    return faults


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def from_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=once_each)
    except json.JSONDecodeError as error:
        raise RecipeError({"recipe": f"Line {error.lineno}: not JSON: {error.msg}."}) from error
    except RecursionError as error:
        raise RecipeError({"recipe": "Not a recipe: brackets are nested too deeply."}) from error
    except ValueError as error:  # such as a number of 5,000 digits
        raise RecipeError({"recipe": f"Not JSON: {error}."}) from error


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise RecipeError({"recipe": f"The key {twice!r} is given twice in one object; keep one of them."})
    return found


def from_toml(text: str) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise RecipeError({"recipe": "Not a recipe: brackets are nested too deeply."}) from error
    except ValueError as error:  # tomllib's own error says line and column
        raise RecipeError({"recipe": f"Not TOML: {error}."}) from error
    return {**data, "rules": as_rules(data["rules"])} if "rules" in data else data


def as_rules(entries: Any) -> Any:
    """Return rules as JSON has them: None for NONE, text for a date. What is no list of rules stays as it is."""
    if not isinstance(entries, list):
        return entries
    return [as_rule(entry) if isinstance(entry, dict) else entry for entry in entries]


def as_rule(entry: dict[str, Any]) -> dict[str, Any]:
    name = entry.get("rule")
    rule = RULES.get(name) if isinstance(name, str) else None
    bounds = {p.name for p in (rule.parameters if rule else ()) if isinstance(p, Number) and p.optional}
    read = {
        key: None
        if key in bounds and value == NONE
        else value.isoformat()
        if isinstance(value, date)
        else value
        for key, value in entry.items()
    }
    return {**read, "rules": as_rules(read["rules"])} if "rules" in read else read
