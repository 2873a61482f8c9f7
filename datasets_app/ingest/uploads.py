"""Stores uploads, each in a folder of its own under a safe name, without reading their contents."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from datasets_app.durable.folders import sync_folder
from datasets_app.ingest.budget import check_disk
from datasets_app.ingest.rows import IngestError

UNSAFE = re.compile(r"[^\w.\- ()\[\]]+")
NAME_CHARS = 150


def safe_name(name: str) -> str:
    """Return a file name without path parts or characters that are special in a shell or a header."""
    last = name[-4096:].replace("\\", "/").rsplit("/", 1)[-1]
    plain = UNSAFE.sub("_", last).strip(" .")
    return plain[-NAME_CHARS:] or "upload"


def store_upload(upload: UploadedFile[Any]) -> tuple[Path, str, str]:
    """Stream an upload into a folder of its own, on the disk: its ingest is accepted, and must survive a loss of power.

    Return its path, safe name and SHA-256. Raises IngestError.
    """
    name = safe_name(upload.name or "")
    if not upload.size:
        raise IngestError(f"{name} is empty.")
    check_disk(upload.size)
    folder = settings.UPLOAD_DIR / str(uuid.uuid4())
    folder.mkdir(parents=True)
    whole = hashlib.sha256()
    try:
        with (folder / name).open("wb") as file:
            for chunk in upload.chunks(1 << 20):
                whole.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        for changed in (folder, folder.parent):
            sync_folder(changed)
    except OSError:
        drop_upload(folder / name)
        raise
    return folder / name, name, whole.hexdigest()


def drop_upload(path: Path) -> None:
    """Delete an upload whose ingest was not created."""
    shutil.rmtree(path.parent)
