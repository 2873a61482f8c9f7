"""Plotly's own JavaScript, served from the installed package: this project carries no copy of it."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

FILE = "plotly.min.js"
PREFIX = "vendor"


def package_data() -> Path:
    """Return the package's data folder without importing it, which would take a second."""
    spec = find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("The plotly package is not installed; it is in requirements/web.lock.")
    return Path(spec.submodule_search_locations[0]) / "package_data"


class PlotlyFinder(BaseFinder):
    """One file: vendor/plotly.min.js."""

    def check(self, **options: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **options: Any) -> Any:
        if path != f"{PREFIX}/{FILE}":
            return []
        location = str(package_data() / FILE)
        return [location] if find_all else location

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        storage = FileSystemStorage(location=package_data())
        storage.prefix = PREFIX  # type: ignore[attr-defined]  # where collectstatic puts its files
        yield FILE, storage
