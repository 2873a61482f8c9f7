"""What is measured once per task, device and versions, and stored on disk beside the built modules."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from eval_app.engine.hardware.device import Device

FOLDER = "tasks"
# Incremented when a measurement changes, which invalidates stored results.
_PROTOCOL = "2"
_MAX_FILES = 50_000
_MAX_FILE_BYTES = 200_000
_VERSIONS = ("torch", "cuda", "driver", "python", "gcc")


class TaskStore:
    """The results of one device, one file each. Unreadable ones count as absent."""

    def __init__(self, folder: Path, device: dict[str, Any], versions: dict[str, str]) -> None:
        """Store the key of this machine; `folder` is created with the first result."""
        self._folder = folder
        parts = [_PROTOCOL, str(device.get("name", "")), *(versions.get(name, "") for name in _VERSIONS)]
        self._machine = "\n".join(parts)

    def path(self, *what: str) -> Path:
        """Return the file for `what`."""
        # Texts that are only put together would not say where each one ends.
        key = json.dumps([self._machine, *what])
        digest = hashlib.sha256(key.encode()).hexdigest()
        return self._folder / digest[:2] / f"{digest}.json"

    def find(self, *what: str) -> dict[str, Any] | None:
        """Return the stored result for `what`, if any."""
        path = self.path(*what)
        try:
            if path.stat().st_size > _MAX_FILE_BYTES:
                return None
            data = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) else None

    def keep(self, answer: dict[str, Any], *what: str) -> None:
        """Write a result atomically, unless it is too large to be one; delete the oldest if there are too many."""
        path, text = self.path(*what), json.dumps(answer)
        if len(text) > _MAX_FILE_BYTES:
            return
        with suppress(OSError):  # a full disk costs another measurement, no verdict
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
            draft.write_text(text, "utf-8")
            draft.replace(path)
            if int(path.stem[:4], 16) % 64 == 0:
                self._prune()

    def _prune(self) -> None:
        files = sorted(self._folder.glob("*/*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - _MAX_FILES)]:
            path.unlink(missing_ok=True)


class TaskStores:
    """The stores of an engine's devices."""

    def __init__(self, cache_dir: Path, versions: Callable[[], dict[str, str]]) -> None:
        """Store the folder; `versions` is called when a store is first needed, which is after a lane is ready."""
        self._folder, self._versions = cache_dir / FOLDER, versions
        self._stores: dict[str, TaskStore] = {}

    def of(self, device: Device) -> TaskStore:
        """Return the store of `device`, whose lane is ready."""
        if device.name not in self._stores:
            self._stores[device.name] = TaskStore(self._folder, dict(device.facts), self._versions())
        return self._stores[device.name]
