"""How Sphinx builds these pages: `make docs`. They are Markdown, read as well without it."""

import re
import tomllib
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).parent / "pictures"  # made by `make docs-pictures`, no part of the repository
PICTURE = re.compile(r"^<!-- picture: (.+) -->$", re.MULTILINE)  # the name of a state of the browser tests
PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]

project = "ConCuR Workbench"
version = release = PROJECT["version"]
copyright = "the authors of ConCuR Workbench, Apache 2.0"
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns: list[str] = []
# Links to files of the repository that are not pages, such as ../deploy/.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
highlight_language = "text"  # of blocks that name none
html_theme = "furo"
html_title = f"{project} {release}"
html_show_sourcelink = False
# Nothing is loaded from elsewhere: theme, scripts and the search index are files of the built site.


def pictured(text: str, folder: Path) -> str:
    """Return the page with an image for each state whose picture was made, and nothing for the others."""

    def image(found: re.Match[str]) -> str:
        name = f"{found[1].replace(' ', '_')}-1440-light.png"
        return f"![{found[1].capitalize()}](/pictures/{name})" if (folder / name).exists() else ""

    return PICTURE.sub(image, text)


def setup(app: Any) -> None:
    """Have Sphinx put the pictures into the pages that it reads."""

    def read(app: Any, page: str, source: list[str]) -> None:
        source[0] = pictured(source[0], PICTURES)

    app.connect("source-read", read)
