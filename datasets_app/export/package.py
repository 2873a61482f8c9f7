"""The files that describe a release: card, manifest, recipe, licence note, hash list.

They are written anew when the files of rows change.
"""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from datasets_app.export import card, croissant
from datasets_app.export.archive import request_archive
from datasets_app.export.columns import COLUMNS
from datasets_app.export.errors import ExportError
from datasets_app.export.files import Written
from datasets_app.export.request import name_of
from datasets_app.export.store import release_files
from datasets_app.export.training import LLAMA_FACTORY, llama_factory
from datasets_app.models import Export, JobState, Release

FORMAT = "card"  # what these files have for a format
SUMS = "SHA256SUMS"
SURELY_LEFT = timedelta(minutes=10)  # after its last file of rows nobody writes a release's lists any more
logger = logging.getLogger(__name__)


def refresh(release: Release) -> None:
    """Write the describing files, once no file of rows is on its way."""
    files = list(release.exports.of_rows().order_by("path"))
    if not files or any(not file.is_finished for file in files):
        return
    ready = [file for file in files if file.state == JobState.DONE]
    texts = {
        "README.md": card.text(release, ready),
        "LICENSE": card.licence_note(release),
        "recipe.json": pretty(release.definition),
        "manifest.json": pretty(manifest(release, ready)),
    }
    if made := croissant.metadata(release, ready, card.licences(release)):
        texts[croissant.FILE] = pretty(made)
    if entries := llama_factory(release, ready):
        texts[LLAMA_FACTORY] = pretty(entries)
    sums = {file.path: file.sha256 for file in ready}
    for path, text in texts.items():
        sums[path] = store(release, path, text).sha256
    listed = store(release, SUMS, "".join(f"{sha256}  {path}\n" for path, sha256 in sorted(sums.items())))
    request_archive(release, listed.sha256)


def refresh_left_behind() -> None:
    """Refresh each release whose last file of rows is newer than its lists: who wrote that file ended too early."""
    of_rows = Export.objects.of_rows().filter(release=OuterRef("pk")).order_by("-finished_at")
    sums = Export.objects.filter(release=OuterRef("pk"), path=SUMS)
    releases = Release.objects.annotate(
        written_at=Subquery(of_rows.values("finished_at")[:1]), listed_at=Subquery(sums.values("finished_at"))
    )
    behind = Q(listed_at=None) | Q(listed_at__lt=F("written_at"))
    for release in releases.filter(behind, written_at__lt=timezone.now() - SURELY_LEFT):
        try:
            refresh(release)
        except (ExportError, OSError) as error:
            logger.warning("The card and the lists of %s could not be written: %s", release.name, error)


def store(release: Release, path: str, text: str) -> Written:
    """Write the file, then its row: on SQLite an open transaction would have every writer wait for a slow bucket."""
    written = release_files().write(name_of(release, path), lambda stream: stream.write(text.encode()))
    facts = {"format": FORMAT, "state": JobState.DONE, "finished_at": timezone.now(), **written.facts}
    Export.objects.update_or_create(release=release, path=path, defaults=facts)
    return written


def pretty(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def manifest(release: Release, files: list[Export]) -> dict[str, Any]:
    """Return the facts about a release for programs, in one file."""
    return {
        "name": release.name,
        "title": release.title,
        "recipe": release.recipe_name,
        "recipe_version": release.recipe_version,
        "device": release.device,
        "content_sha256": release.content_sha256,
        "frozen_at": release.finished_at.isoformat(timespec="seconds") if release.finished_at else None,
        "rows": release.row_count,
        "tasks": release.task_count,
        "splits": release.split_counts,
        "counts": release.counts,
        "funnel": release.funnel,
        "versions": release.versions,
        "columns": [{"name": c.name, "type": c.type, "means": c.means} for c in COLUMNS],
        "files": [
            {
                "path": file.path,
                "format": file.format,
                "split": file.split,
                "rows": file.records,
                "options": file.options,
                "size_bytes": file.size_bytes,
                "sha256": file.sha256,
            }
            for file in files
        ],
    }
