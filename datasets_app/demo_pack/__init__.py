"""The demo pack: triples written for this project, so that a new site has something real to show and verify.

A task is a folder under `tasks/`: `reference.py` in KernelBench's form, `samples.json` with what a source
would state about its samples, and for each sample `<sample>.kernel.py` and `<sample>.trace.md` (empty where
the writer gave no trace). Reading needs the standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TASKS = Path(__file__).parent / "tasks"

# What samples.json may leave out.
_DEFAULTS: dict[str, Any] = {"parent": None, "turn": 1, "feedback": None, "twin": None}


def read_pack() -> Iterator[dict[str, Any]]:
    """Yield the pack's triples, task by task in alphabetical order, samples in the order of samples.json.

    Each row has the keys task_name, pytorch_code, reasoning, kernel_code, generator, sampling (a dict),
    language, claimed_speedup, claimed_correct, claimed_device, parent and twin (names of other rows, or
    None), turn, feedback, name (unique in the pack), level and kind. Raises OSError, ValueError or KeyError where
    a file is missing or broken.
    """
    for folder in sorted(path for path in TASKS.iterdir() if (path / "samples.json").is_file()):
        described = json.loads(_text(folder / "samples.json"))
        reference = _text(folder / "reference.py")
        for stated in described["samples"]:
            yield _row(folder, reference, _DEFAULTS | stated) | {
                "level": described["level"],
                "kind": described["kind"],
            }


def _row(folder: Path, reference: str, stated: dict[str, Any]) -> dict[str, Any]:
    sample, parent, twin = stated["sample"], stated["parent"], stated["twin"]
    return {
        "task_name": folder.name,
        "pytorch_code": reference,
        "reasoning": _text(folder / f"{sample}.trace.md"),
        "kernel_code": _text(folder / f"{sample}.kernel.py"),
        "generator": stated["generator"],
        "sampling": stated["sampling"],
        "language": stated["language"],
        "claimed_speedup": stated["claimed_speedup"],
        "claimed_correct": stated["claimed_correct"],
        "claimed_device": stated["claimed_device"],
        "parent": _name(folder, parent) if parent else None,
        "twin": _name(folder, twin) if twin else None,
        "turn": stated["turn"],
        "feedback": stated["feedback"],
        "name": _name(folder, sample),
    }


def _name(folder: Path, sample: str) -> str:
    return f"{folder.name}.{sample}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
