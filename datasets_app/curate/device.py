"""The device that a recipe works on: rules see each sample's evidence there, and no other."""

from __future__ import annotations

from dataclasses import replace

from datasets_app.curate.definition import Definition
from datasets_app.evidence import devices


def on_its_device(definition: Definition) -> Definition:
    """Return the definition with its device named in full: the site's reference device where it names none."""
    names = [device.name for device in devices.ordered()]
    if not definition.device:
        return replace(definition, device=names[0] if names else "")
    full = next((name for name in names if devices.is_device(definition.device, name)), definition.device)
    return replace(definition, device=full)
