"""The task of kernels that a source publishes without a PyTorch program: a comment that says so is its text.

Such a task is stored with TaskPart.without_model, and its samples with SamplePart.is_program False: they can be read,
searched, compared and reviewed, and are never sent to a worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, NAME_CHARS
from datasets_app.ingest.rows import TaskPart


def task_without_program(
    source: str, name: str, suite: str = "", extra: Mapping[str, Any] | None = None
) -> TaskPart:
    """Return the task of this name; tasks of the same source and name are one."""
    shown = " ".join(name.split()) or "unnamed"
    why = f"{source} publishes no PyTorch program for this task, so its kernels cannot be verified here."
    text = f"# {shown}\n# {why}\n"
    return TaskPart(
        program=text,
        name=shown[:NAME_CHARS],
        suite=suite,
        external_id=shown[:EXTERNAL_ID_CHARS],
        extra=extra or {},
        without_model=True,
    )


def joined_files(files: Mapping[str, str], comment: str = "//") -> str:
    """Return several files as one text; a single one as it is."""
    if len(files) == 1:
        return next(iter(files.values()))
    return "\n".join(f"{comment} ==== {path} ====\n{text.rstrip()}\n" for path, text in files.items())
