"""The versions behind a release: of the site, of the tokenizer, and of the engines behind the evidence."""

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGE = "concur-workbench"


def site_version() -> str:
    """Return the installed version, else the one in the source tree's project file."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"])


class Versions:
    """Collects the versions in snapshots, each once."""

    def __init__(self) -> None:
        self.versions: dict[str, set[str]] = {"tokenizer": set(), "engine": set(), "torch": set()}

    def add(self, snapshot: dict[str, Any]) -> None:
        for name, values in self.versions.items():
            if value := snapshot.get(name):
                values.add(value)

    def to_json(self) -> dict[str, Any]:
        own = {"site": site_version(), "recipe_format": 1}
        return own | {name: sorted(values) for name, values in self.versions.items()}
