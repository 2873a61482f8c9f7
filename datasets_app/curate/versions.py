"""What made a release: versions of the site, of the tokenizer, and of the engines behind the evidence."""

import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGE = "concur-workbench"


def site_version() -> str:
    """The version that is installed, else the one in the source tree's project file."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return tomllib.loads(project.read_text())["project"]["version"]


def versions_of(snapshots: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Versions that stand in the snapshots, each once, sorted."""
    found: dict[str, set[str]] = {"tokenizer": set(), "engine": set(), "torch": set()}
    for snapshot in snapshots:
        for name, values in found.items():
            value = snapshot.get(name) or snapshot.get("evidence", {}).get(name)
            if value:
                values.add(value)
    return {"site": site_version(), "recipe_format": 1} | {
        name: sorted(values) for name, values in found.items()
    }
