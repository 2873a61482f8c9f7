"""Facts of a report with their units: a unit that is part of a fact's name is shown behind its value."""

from __future__ import annotations

from typing import Any, NamedTuple

UNITS = {"mhz": "MHz", "ms": "ms", "us": "µs", "s": "s", "w": "W", "c": "°C", "percent": "%"}
SCALES = (("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3))


class Quantity(NamedTuple):
    name: str
    value: Any
    unit: str = ""


def quantity(name: str, value: Any) -> Quantity:
    """Return `bandwidth_bytes_per_s` of 4814304000000 as a bandwidth of 4.814304 TB/s; a name without a unit is
    unchanged."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        for suffix, unit in (("_bytes_per_s", "B/s"), ("_bytes", "B")):
            if name.endswith(suffix):
                return scaled(words(name.removesuffix(suffix)), value, unit)
    rest, _, suffix = name.rpartition("_")
    if rest and suffix in UNITS and not isinstance(value, str | bool):
        return Quantity(words(rest), value, UNITS[suffix])
    return Quantity(words(name), value)


def scaled(name: str, value: float, unit: str) -> Quantity:
    for letter, size in SCALES:
        if abs(value) >= size:
            return Quantity(name, value / size, letter + unit)
    return Quantity(name, value, unit)


def words(name: str) -> str:
    return name.replace("_", " ")
