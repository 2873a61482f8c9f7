"""How Sphinx builds these pages: `make docs`. They are Markdown, read as well without it."""

import tomllib
from pathlib import Path

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
