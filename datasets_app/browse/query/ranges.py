"""Ranges as they are typed: `>2`, `<=4000`, `1..2`."""

import re

from datasets_app.browse.query.open_fields import BoundField

RANGE = re.compile(r"(?P<sign>[<>]=?)(?P<bound>[^<>=]+)|(?P<low>[^<>=.]*(?:\.\d+)?)\.\.(?P<high>[^<>=]*)")


def bound_texts(name: str, text: str) -> dict[str, str]:
    """Return the text of each end (min, max) as its BoundField takes it. Raises ValueError; `name` is as typed."""
    match = RANGE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{name}: accepts a bound or a range, such as {name}:>2 or {name}:2..5, not {text!r:.60}."
        )
    if match["sign"]:
        is_min = match["sign"][0] == ">"
        strict = "" if match["sign"].endswith("=") else match["sign"]
        return {"min" if is_min else "max": strict + match["bound"]}
    return {end: value for end, value in (("min", match["low"]), ("max", match["high"])) if value}


def range_text(ends: dict[str, tuple[BoundField, str]]) -> str:
    """Return the range as it is typed, from the cleaned value of each end."""
    if len(ends) == 2:
        return f"{ends['min'][1]}..{ends['max'][1]}"
    (field, value) = next(iter(ends.values()))
    strict, _ = field.value(value)
    return value if strict else f"{field.strict}={value}"
