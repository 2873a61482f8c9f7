"""Reads backups without the project's reader, and makes altered ones."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as backup:
        return {name: backup.read(name) for name in backup.namelist()}


def manifest(path: Path) -> dict[str, Any]:
    return json.loads(contents(path)[MANIFEST])


def rows(path: Path, table: str, *, without: str = "") -> list[list[str]]:
    """Return a table's rows in an order of their own, JSON as the values that it stands for."""
    columns = manifest(path)["tables"][table]["columns"]
    left_out = columns.index(without) if without else -1
    lines = contents(path)[f"tables/{table}.copy"].decode().splitlines(keepends=True)
    cells = [line.removesuffix("\n").split("\t") for line in lines]
    return sorted([plain(cell) for at, cell in enumerate(row) if at != left_out] for row in cells)


def plain(cell: str) -> str:
    """Return a cell as it is compared between databases: JSON parsed, fractions of seconds without zeros."""
    if cell[:1] in "{[":
        try:
            text = cell.replace("\\\\", "\\")
            return json.dumps(json.loads(text), sort_keys=True)
        except ValueError:
            return cell
    if cell.endswith("+00") and "." in cell:
        return cell.removesuffix("+00").rstrip("0")
    return cell


def altered(path: Path, to: Path, change: Callable[[dict[str, bytes]], None], *, honest: bool) -> Path:
    """Write the backup with a change. An honest one has a manifest that fits what it holds."""
    members = contents(path)
    change(members)
    if honest:
        about = json.loads(members[MANIFEST])
        about["members"] = {
            name: [len(data), hashlib.sha256(data).hexdigest()]
            for name, data in members.items()
            if name != MANIFEST
        }
        members[MANIFEST] = json.dumps(about).encode()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as backup:
        for name, data in members.items():
            backup.writestr(name, data)
    return to


def change_manifest(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, bytes]], None]:
    def apply(members: dict[str, bytes]) -> None:
        about = json.loads(members[MANIFEST])
        change(about)
        members[MANIFEST] = json.dumps(about).encode()

    return apply
