"""The version of the project: of the installed package, otherwise of the checkout."""

import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

PRODUCT = "concur-workbench"
PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@cache
def version() -> str:
    if PYPROJECT.is_file():
        return str(tomllib.loads(PYPROJECT.read_text())["project"]["version"])
    return metadata.version(PRODUCT)
