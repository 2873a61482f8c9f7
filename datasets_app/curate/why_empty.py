"""Why a recipe chooses no row, where one of its guards and the device of the evidence say so together."""

from __future__ import annotations

from datasets_app.curate.definition import Definition
from datasets_app.curate.device import on_its_device
from datasets_app.curate.rules.provenance import LANGUAGES, Language
from datasets_app.evidence import devices

ON_A_GPU = {"cuda", "triton"}
WORDS = dict(LANGUAGES)


def why_empty(definition: Definition) -> str:
    """Return the reason and what to change, if the recipe keeps GPU kernels alone and its device is a CPU."""
    wanted = next(
        (
            (at, rule["languages"])
            for at, rule in enumerate(definition.rules, 1)
            if isinstance(rule, Language)
        ),
        None,
    )
    device = on_its_device(definition).device
    if wanted is None or not ON_A_GPU.issuperset(wanted[1]) or not is_cpu(device):
        return ""
    at, kernels = wanted[0], " and ".join(WORDS[language] for language in wanted[1])
    return (
        f"Rule {at} keeps {kernels} kernels alone, and the evidence is of {device}, a CPU, where they do not run. "
        f"Verify them on a worker with an NVIDIA GPU, then choose that device under “Evidence on”. To curate C++ "
        f"kernels by their times on this CPU instead, tick C++ in rule {at}, in a copy of the recipe."
    )


def is_cpu(device: str) -> bool:
    return any(entry.name == device and entry.kind == "cpu" for entry in devices.ordered())
