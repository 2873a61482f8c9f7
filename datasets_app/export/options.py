"""What may be chosen about the files of a format. Each set of options but the default has files of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from datasets_app.export.columns import NAMES
from datasets_app.export.errors import OptionsError
from datasets_app.export.pairs import KINDS
from datasets_app.export.turns import DEFAULT_TEMPLATE, template_fault


@dataclass(frozen=True)
class Options:
    columns: tuple[str, ...] = NAMES
    template: str = DEFAULT_TEMPLATE
    think: bool = True  # traces in the answers
    numbered: bool = True  # ConCuR's `uuid`: a number per problem; else the sample's id
    pairs: tuple[str, ...] = tuple(KINDS)

    def to_json(self) -> dict[str, Any]:
        """Return the options that are not the default."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in chosen.items()
            if value != getattr(DEFAULT, name)
        }

    @property
    def variant(self) -> str:
        """Return the part of a path that tells these options from others; empty for the default."""
        chosen = self.to_json()
        text = json.dumps(chosen, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8] if chosen else ""


DEFAULT = Options()


def parse(takes: Collection[str], chosen: Mapping[str, Any]) -> Options:
    """Return the options for a format that takes some of them. Raises OptionsError."""
    faults = {name: f"This format has no option {name!r}." for name in chosen if name not in takes}
    values = {}
    for name in takes:
        if name in chosen:
            values[name] = chosen[name]
            if fault := CHECKS[name](chosen[name]):
                faults[name] = fault
    if faults:
        raise OptionsError(faults)
    return Options(**{name: in_order(name, value) for name, value in values.items()})


def in_order(name: str, value: Any) -> Any:
    """Return lists as tuples in one order, so that the same choice has the same files."""
    known = {"columns": NAMES, "pairs": KINDS}.get(name)
    if known is None:
        return value.replace("\r\n", "\n") if isinstance(value, str) else value
    return tuple(one for one in known if one in value)


def names_fault(what: str, known: Collection[str], value: Any) -> str:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        return f"The {what} are a list of names."
    if unknown := [name for name in value if name not in known]:
        return f"There is no {unknown[0][:80]!r} among the {what}: {', '.join(known)}."
    return "" if value else f"Choose at least one of the {what}."


def text_fault(value: Any) -> str:
    return template_fault(value.replace("\r\n", "\n")) if isinstance(value, str) else "The prompt is a text."


def flag_fault(value: Any) -> str:
    return "" if isinstance(value, bool) else "This is true or false."


CHECKS: dict[str, Callable[[Any], str]] = {
    "columns": lambda value: names_fault("columns", NAMES, value),
    "template": text_fault,
    "think": flag_fault,
    "numbered": flag_fault,
    "pairs": lambda value: names_fault("kinds of pairs", KINDS, value),
}
