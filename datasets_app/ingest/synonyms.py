"""Other names that published sets give to columns of ours; each has one meaning wherever it occurs.

Names of several meanings are left out: `speedup` and `score` (over what?), `device`, `uuid` and `id` (of the task or
of the sample?). Columns with such names are reported as unused, and `--map` takes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.values import MISSING

TRACES = ("reasoning", "generated_think", "reasoning_trace", "trace", "thought", "think", "chain_of_thought")
SYNONYMS = {
    "reasoning": TRACES,
    "generated_think": TRACES,
    "task_name": ("problem_name", "op_name"),
    "generator": ("model", "model_name"),
    "claimed_speedup": ("speedup_over_eager", "torch_speedup"),
    "claimed_correct": ("correct",),
    "level": ("level_id",),
    "problem": ("problem_id",),
}


def named_as(values: Mapping[str, Any], fields: tuple[str, ...]) -> tuple[Mapping[str, Any], dict[str, str]]:
    """Return the row with the columns called by our names, and the original name of each that was renamed.

    A field that the row has is left alone, and so is one for which it has several columns.
    """
    others = {plain(column): column for column in values if column not in fields}
    if not others:
        return values, {}
    renamed = {}
    for field in fields:
        if values.get(field) in MISSING:
            given = [others[name] for name in SYNONYMS.get(field, ()) if name in others]
            filled = [column for column in given if values[column] not in MISSING]
            if len(filled) == 1:
                renamed[field] = filled[0]
    if not renamed:
        return values, {}
    rest = {column: value for column, value in values.items() if column not in renamed.values()}
    return {**rest, **{field: values[column] for field, column in renamed.items()}}, renamed


def plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")
