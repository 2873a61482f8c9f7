"""Reads the style rules of the installed Plotly from its script; run as a module, writes our copy of them."""

import re
from pathlib import Path

from datasets_app.analysis.static_files import FILE, package_data

SHEET = Path(__file__).parents[2] / "static" / "css" / "plotly.css"
HEAD = """\
/* What Plotly would write into a style element of its own, which the site's policy forbids: a copy of its rules.
   `python -m tests.analysis.plotly_styles` writes this file anew for the installed version. */
"""


def script() -> str:
    return (package_data() / FILE).read_text(encoding="utf-8")


def element_ids() -> list[str]:
    """Return the ids of Plotly's style elements; it creates none if the page has an element with that id."""
    maps = re.search(
        r'getElementById\("([0-9a-f]{64})"\)\)\{var \w+=document\.createElement\("style"\)', script()
    )
    return ["plotly.js-style-global", *([maps[1]] if maps else [])]


def style_rules() -> list[tuple[str, str]]:
    """Return selector and declarations of each rule, as plotly.js' plotcss generates them."""
    text = script()
    start = text.index('{"X,X div":')
    table = text[start : text.index("};", start)]
    pairs = re.findall(r"""(?:"([^"]*)"|(\w+)):("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", table)
    return [(selector(quoted or bare), value[1:-1]) for quoted, bare, value in pairs]


def selector(short: str) -> str:
    return re.sub("^,", " ,", short).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")


def sheet() -> str:
    # Plotly inserts each rule before the earlier ones, so the last of its table comes first.
    return HEAD + "".join(f"{name} {{ {value} }}\n" for name, value in reversed(style_rules()))


if __name__ == "__main__":
    SHEET.write_text(sheet(), encoding="utf-8")
