"""Licences as SPDX expressions. AND joins the licences of a row whose texts come from several places."""

from __future__ import annotations

AND = " AND "


def parts(licence: str) -> list[str]:
    return [part for part in licence.split(AND) if part]


def joined(*licences: str) -> str:
    """Return the conjunction of these expressions, each part once; empty if none is declared."""
    return AND.join(dict.fromkeys(part for licence in licences for part in parts(licence)))
