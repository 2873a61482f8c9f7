"""Licences as SPDX expressions: what covers a row whose texts come from several places is joined by AND."""

from __future__ import annotations

AND = " AND "


def parts(licence: str) -> list[str]:
    return [part for part in licence.split(AND) if part]


def joined(*licences: str) -> str:
    """Return the expression that says all of these, each part once; empty where none is declared."""
    return AND.join(dict.fromkeys(part for licence in licences for part in parts(licence)))
