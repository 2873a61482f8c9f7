"""Writes TOML of the form that recipes have: texts, numbers, lists of texts, tables, and lists of tables.

The standard library reads TOML and does not write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

ESCAPES = {"\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"'}
SPECIAL = re.compile(r'[\\"\x00-\x1f\x7f]')
SPECIAL_IN_LINES = re.compile(
    r'[\\\x00-\x09\x0b-\x1f\x7f]|"(?="")|"$'
)  # no three quotes in a row, none at the end


def document(content: dict[str, Any]) -> str:
    """Return the text of a document: its values first, then its tables, in their order."""
    return "\n".join(lines(content, "")) + "\n"


def lines(table: dict[str, Any], path: str) -> Iterator[str]:
    for key, entry in table.items():
        if not is_table(entry):
            yield f"{key} = {value(entry)}"
    for key, entry in table.items():
        if isinstance(entry, dict):
            yield from ("", f"[{path}{key}]", *lines(entry, f"{path}{key}."))
        elif is_table(entry):
            for inner in entry:
                yield from ("", f"[[{path}{key}]]", *lines(inner, f"{path}{key}."))


def is_table(entry: Any) -> bool:
    """Return whether an entry is a table or a list of tables. An empty list is a value."""
    return isinstance(entry, dict) or (
        isinstance(entry, list) and bool(entry) and all(isinstance(inner, dict) for inner in entry)
    )


def value(entry: Any) -> str:
    """Return a value as TOML spells it. Raises TypeError for what a recipe does not have."""
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, int | float):
        return repr(entry)
    if isinstance(entry, str):
        return text_lines(entry) if "\n" in entry else text(entry)
    if isinstance(entry, list):
        return f"[{', '.join(value(inner) for inner in entry)}]"
    raise TypeError(f"{type(entry).__name__} has no form in a recipe's TOML")


def text(entry: str) -> str:
    return f'"{SPECIAL.sub(escape, entry)}"'


def text_lines(entry: str) -> str:
    """Return a text of several lines as people read it. TOML drops the line end after the opening quotes."""
    return f'"""\n{SPECIAL_IN_LINES.sub(escape, entry)}"""'


def escape(match: re.Match[str]) -> str:
    return ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"
