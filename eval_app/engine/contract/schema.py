"""Conversion of untrusted JSON to dataclasses: types, sizes, closed enums, finite numbers."""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

# A JSON value without nesting: device states and versions consist of these.
Scalar = str | int | float | bool | None

MAX_TEXT_CHARS = 4_000
MAX_ITEMS = 1_000
MAX_INTEGER = 2**63


class ContractError(ValueError):
    """An invalid job or report; the message names the field and its constraint."""


def capped(max_chars: int = MAX_TEXT_CHARS, max_items: int = MAX_ITEMS, **options: Any) -> Any:
    """Return a dataclass field whose text or container is limited in size when it is read from JSON."""
    return dataclasses.field(metadata={"max_chars": max_chars, "max_items": max_items}, **options)


@dataclasses.dataclass(frozen=True)
class Caps:
    """Size limits of one field."""

    max_chars: int = MAX_TEXT_CHARS
    max_items: int = MAX_ITEMS


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def read(cls: type[T], data: Any, where: str) -> T:
    """Build dataclass `cls` from the JSON object `data`; `where` names it in errors.

    Unknown keys, wrong types, over-long text and non-finite numbers raise ContractError.
    """
    if not isinstance(data, dict):
        raise ContractError(f"{where} must be an object, not {type(data).__name__}")
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}  # type: ignore[arg-type]
    unknown = sorted(str(key)[:40] for key in data if key not in fields)
    if unknown:
        raise ContractError(f"{where} has unknown keys: {', '.join(unknown[:5])}")
    values = {
        name: _value(
            _hints(typing.cast(Hashable, cls))[name],
            data[name],
            f"{where}.{name}",
            Caps(**fields[name].metadata),
        )
        for name in data
    }
    try:
        return cls(**values)
    except TypeError as error:
        raise ContractError(f"{where}: {error}") from error


def _value(hint: Any, value: Any, where: str, caps: Caps) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(hint), value, where, caps)
    if origin in (list, tuple):
        return _sequence(hint, value, where, caps)
    if origin is dict:
        return _mapping(hint, value, where, caps)
    if dataclasses.is_dataclass(hint):
        return read(typing.cast(type, hint), value, where)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _member(hint, value, where)
    return _scalar(hint, value, where, caps)


def _union(choices: tuple[Any, ...], value: Any, where: str, caps: Caps) -> Any:
    if value is None and type(None) in choices:
        return None
    errors = []
    for choice in choices:
        if choice is type(None):
            continue
        try:
            return _value(choice, value, where, caps)
        except ContractError as error:
            errors.append(str(error))
    raise ContractError(errors[0])


def _sequence(hint: Any, value: Any, where: str, caps: Caps) -> Any:
    if not isinstance(value, list):
        raise ContractError(f"{where} must be a list, not {type(value).__name__}")
    if len(value) > caps.max_items:
        raise ContractError(f"{where} has {len(value)} items; at most {caps.max_items}")
    item_hint = typing.get_args(hint)[0]
    items = [_value(item_hint, item, f"{where}[{index}]", caps) for index, item in enumerate(value)]
    return items if typing.get_origin(hint) is list else tuple(items)


def _mapping(hint: Any, value: Any, where: str, caps: Caps) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ContractError(f"{where} must be an object, not {type(value).__name__}")
    if len(value) > caps.max_items:
        raise ContractError(f"{where} has {len(value)} keys; at most {caps.max_items}")
    item_hint = typing.get_args(hint)[1]
    for key in value:
        _scalar(str, key, f"a key of {where}", Caps(max_chars=200))
    return {key: _value(item_hint, item, f"{where}.{key[:40]}", caps) for key, item in value.items()}


def _member(hint: type[enum.Enum], value: Any, where: str) -> enum.Enum:
    try:
        return hint(value)
    except ValueError:
        allowed = ", ".join(str(member.value) for member in hint)
        raise ContractError(f"{where} must be one of: {allowed}") from None


def _scalar(hint: Any, value: Any, where: str, caps: Caps) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(_bounded(value, where))
    if type(value) is not hint:
        raise ContractError(f"{where} must be {hint.__name__}, not {type(value).__name__}")
    if hint is str:
        return _text(value, where, caps)
    if hint is float and not math.isfinite(value):
        raise ContractError(f"{where} must be a finite number")
    return _bounded(value, where) if hint is int else value


def _bounded(value: int, where: str) -> int:
    if abs(value) >= MAX_INTEGER:
        raise ContractError(f"{where} is out of range")
    return value


def _text(value: str, where: str, caps: Caps) -> str:
    if len(value) > caps.max_chars:
        raise ContractError(f"{where} has {len(value)} characters; at most {caps.max_chars}")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise ContractError(f"{where} contains a character that cannot be stored")
    return value


def to_json(value: Any) -> Any:
    """Return the JSON form of a dataclass: the inverse of `read`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value
