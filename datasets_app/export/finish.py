"""The same work in the caller's own process: for commands, which must give their result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from datasets_app.export import package
from datasets_app.export.files import write_whole
from datasets_app.export.request import ExportError, checked, name_of, planned
from datasets_app.export.store import release_files
from datasets_app.export.write import run_export, write_rows
from datasets_app.models import JobState, Release

POLL_SECONDS = 0.5
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


def finish_files(release: Release) -> None:
    """Write every file that waits, and wait for those that a worker has taken. Raises ExportError on a full disk."""
    tried = set()
    while unfinished := list(release.exports.filter(state__in=UNFINISHED)):
        queued = [file for file in unfinished if file.state == JobState.QUEUED]
        for file in queued:  # the last file of rows queues the archive
            if file.error and file.pk in tried:
                raise ExportError(f"{file.path}: {file.error}")
            tried.add(file.pk)
            run_export(file.pk)
        if not queued:
            time.sleep(POLL_SECONDS)


def write_into(
    release: Release, format: str, out: Path, chosen: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Write the files of `format` below `out`, with the chosen options. Raises ExportError, OptionsError, OSError."""
    if out.exists() and not out.is_dir():
        raise ExportError(f"{out} is not a folder.")
    made = []
    for file in list(planned(release, *checked(release, format, chosen or {}))):
        path = out / file.path
        written, records = write_rows(file, partial(write_whole, path), report_progress=lambda done: None)
        made.append({"path": str(path), "split": file.split, "rows": records, "sha256": written.sha256})
    return made


def rewrite_files(release: Release) -> dict[str, Any]:
    """Put back the files that were lost or damaged, from the frozen rows, and say what became of each."""
    result: dict[str, Any] = {"release": release.name, "kept": [], "written": [], "different": []}
    for file in release.exports.of_rows().filter(state=JobState.DONE):
        store, name = release_files(), name_of(release, file.path)
        if store.holds(name, file.sha256):
            result["kept"].append(file.path)
            continue
        written, _ = write_rows(file, partial(store.write, name), report_progress=lambda done: None)
        same = written.sha256 == file.sha256
        result["written" if same else "different"].append(file.path)
        type(file).objects.filter(pk=file.pk).update(**written.facts)
    package.refresh(release)
    finish_files(release)
    return result
