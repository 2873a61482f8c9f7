"""The reference's own error in plain values, such as a count of what lies beyond a limit."""

from __future__ import annotations

import math
from typing import Any

# How much further than the reference an output may be led.
ROOM = 2


def is_reached(got: Any, right: Any, others: list[Any]) -> bool:
    """Return whether a plain value is one of the `others`, or a number at most twice as far from `right` as
    they lead."""
    value, middle, *reached = (_number(form, right) for form in (got, right, *others))
    if value is None or middle is None:
        return got in others
    gaps = [number - middle for number in reached if number is not None]
    return ROOM * min([0, *gaps]) <= value - middle <= ROOM * max([0, *gaps])


def _number(form: Any, like: Any) -> float | None:
    """Return a finite number of the kind of `like`, None for another value; a candidate may have made up its form."""
    try:
        if "int" in form and "int" in like:
            return int(form["int"])
        value = float.fromhex(form["float"]) if "float" in like else math.nan
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None
