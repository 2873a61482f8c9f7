"""Declarations of a task's source besides its program: further arguments to be correct on, and whether gradients
count.

Sources have them in columns without a field here: `configs` (the engine's own form), `multi_init_configs`,
`multi_input_configs` and `multi_shared_configs` (robust-kbench's), those three in one column `config_forward` or
`config_backward` (its tasks file), and `backward`.
"""

import json
from collections.abc import Mapping
from typing import Any

MULTI = ("multi_init_configs", "multi_input_configs", "multi_shared_configs")
WHOLE = ("configs", "config_forward", "config_backward")
YES = {"true", "yes", "1"}


def declared(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return `configs` as the source has them, unvalidated, and `backward` if it requests gradients."""
    declarations: dict[str, Any] = {}
    configs = next((value for name in WHOLE if (value := plain(extra.get(name)))), None)
    configs = configs or {name: value for name in MULTI if (value := plain(extra.get(name)))}
    if configs:
        declarations["configs"] = configs
    if str(extra.get("backward", "")).strip().lower() in YES:
        declarations["backward"] = True
    return declarations


def plain(value: Any) -> Any:
    """Return a list or an object, also if it is written as JSON text; None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, list | dict) else None
