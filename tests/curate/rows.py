"""Rows for the pure core: short names instead of ids, so that a test reads like a table."""

import uuid
from typing import Any

from datasets_app.curate.definition import parse
from datasets_app.curate.row import Row
from datasets_app.curate.selection import Selection, apply

NAMESPACE = uuid.UUID(int=7)


def ident(name: str) -> str:
    return str(uuid.uuid5(NAMESPACE, name))


def row(name: str, task: str = "t", **fields: Any) -> Row:
    """Return a sample of `task`; `passed=2.1` is a measured speedup of 2.1, `claims=3` a claimed one."""
    if "passed" in fields:
        fields |= {"outcome": "passed", "measured_speedup": float(fields.pop("passed"))}
    if "claims" in fields:
        fields |= {"claimed_speedup": float(fields.pop("claims")), "claimed_correct": True}
    return Row(id=ident(name), task=ident(task), task_name=task, **fields)


def recipe(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 1, "seed": 7, "rules": list(rules), **more}


def choose(rows: list[Row], *rules: dict[str, Any], **more: Any) -> Selection:
    return apply(parse(recipe(*rules, **more)), rows)


def names(selection: Selection, rows: dict[str, Row]) -> set[str]:
    chosen = {entry.row.id for entry in selection.chosen}
    return {name for name, made in rows.items() if made.id in chosen}


def table(**rows: dict[str, Any]) -> dict[str, Row]:
    """Return named rows: `table(a={"task": "t", "passed": 2})`."""
    return {name: row(name, **fields) for name, fields in rows.items()}


def reasons(selection: Selection) -> dict[str, int]:
    """Return why the last rule dropped rows."""
    return {reason: dropped.count for reason, dropped in selection.steps[-1].dropped.items()}
