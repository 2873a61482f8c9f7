"""The base class of figures: a Plotly dict, a caption that says what is shown, and a table of the same numbers.

Colours are written as names of CSS tokens (`--accent`); the page's script puts in what the theme says. Never colour
alone: each class of things also has a symbol or a pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from datasets_app.export.formats.csv import csv_line
from datasets_app.text_input.characters import HIDDEN

LONGEST_NAME = 40
TITLE_STANDOFF_PX = 10
FEW_COUNTS = 6
FEWEST_ROWS = 6
TITLES = {  # by the name in addresses
    "accuracy": "Accuracy by trace length",
    "lengths": "Trace length by outcome",
    "speedup-by-length": "Speedup against trace length",
    "speedups-by-length": "Speedup in bins of trace length",
    "speedups": "Speedups, measured and claimed",
    "claims": "Claimed against measured speedup",
    "leaderboard": "Generators over tasks",
    "fast-p": "fast_p by generator",
    "outcomes": "Outcomes by generator",
    "difficulty": "Difficulty by average reasoning length",
    "clusters": "Largest clusters of similar kernels",
    "turns": "Efficiency by turns",  # of a run, as the next one
    "best-of-n": "Best of N against turns",
}


@dataclass(frozen=True)
class Figure:
    name: str  # in addresses
    n: int
    caption: str
    columns: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)
    plot: dict[str, Any] | None = None  # None: there is nothing to draw
    empty: str = ""
    unit: str = "samples"  # what n counts

    @property
    def title(self) -> str:
        return TITLES[self.name]

    def to_csv(self) -> str:
        """Return the numbers in the form of the site's CSV files, in which no name can be a spreadsheet's formula."""
        return "".join(map(csv_line, [self.columns, *self.rows]))


def drawn_name(text: str) -> str:
    """Return a name as Plotly may draw it: short, and escaped, for sources write names and Plotly reads tags."""
    text = HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
    short = text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
    return escape(short, quote=False)


def fill(color: str, pattern: str) -> dict[str, Any]:
    """Return a bar's style: a colour, and lines or dots over it."""
    over = {"shape": pattern, "fillmode": "overlay", "fgcolor": "--surface", "fgopacity": 0.7, "size": 6}
    edge = {"color": "--surface", "width": 1}
    return {"color": color, "line": edge, "pattern": over if pattern else {"shape": ""}}


def axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": TITLE_STANDOFF_PX}, "automargin": True, **more}


def speedup_axis(title: str) -> dict[str, Any]:
    """Return a logarithmic axis with whole labels: Plotly's own are "8" for 0.8."""
    ticks = [float(f"{step}e{decade}") for decade in range(-4, 5) for step in (1, 2, 5)]
    return axis(f"{title} (log)", type="log", tickvals=ticks, ticktext=[f"{tick:g}×" for tick in ticks])


def count_axis(title: str, largest: int, **more: Any) -> dict[str, Any]:
    """Return an axis from 0 in whole numbers."""
    steps = {"dtick": 1} if largest <= FEW_COUNTS else {}
    return axis(title, rangemode="tozero", **steps, **more)


def rows_from_above(n: int) -> list[float]:
    """Return the range of an axis of n horizontal bars from below; a few keep the width of FEWEST_ROWS."""
    return [n - 0.5 - max(n, FEWEST_ROWS), n - 0.5]


def named_rows(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a row per name from below; two names may have been shortened to the same."""
    places = list(range(len(names)))
    return axis("", tickvals=places, ticktext=list(names), range=rows_from_above(len(names)), zeroline=False)


def plot(data: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any], **layout: Any) -> dict[str, Any]:
    return {"data": data, "layout": {"xaxis": x, "yaxis": y, **layout}}
