"""What a task's source declares besides its program: other arguments to be right on, and whether gradients count.

Sources keep it in columns that have no field here: `configs` (the engine's own form), `multi_init_configs`,
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
    """`configs` as the source has them, unread, where there are any, and `backward` where it asks for gradients."""
    found: dict[str, Any] = {}
    configs = next((value for name in WHOLE if (value := plain(extra.get(name)))), None)
    configs = configs or {name: value for name in MULTI if (value := plain(extra.get(name)))}
    if configs:
        found["configs"] = configs
    if str(extra.get("backward", "")).strip().lower() in YES:
        found["backward"] = True
    return found


def plain(value: Any) -> Any:
    """A list or an object, also where it is written as JSON text; nothing where it is neither."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, list | dict) else None
