"""Tables of a run in the form of those that ConCuR prints: their columns, over the run's own answers.

Whatever is missing, refused or undecided is in the denominators.
"""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from datasets_app.analysis import paper
from datasets_app.analysis.metrics import fast_p, geometric_mean_speedup
from datasets_app.analysis.runs.judged import PASSED, Answer, JudgedRun
from datasets_app.analysis.statistics import Correlation, correlate, wilson
from datasets_app.export.formats.csv import csv_line
from datasets_app.traces.difficulty import EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS, class_of

CLASSES = ("easy", "middling", "hard")


@dataclass(frozen=True)
class Table:
    """Rows under columns, with what they are and what the paper's own are over. `name`: in addresses."""

    name: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]] = ()

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """Return the columns, each with whether its first row holds a name rather than a number."""
        first = self.rows[0] if self.rows else [None] * len(self.columns)
        return [(column, isinstance(value, str)) for column, value in zip(self.columns, first, strict=True)]

    def to_csv(self) -> str:
        """Return the rows in the form of the site's CSV files, in which no name can be a spreadsheet's formula."""
        return "".join(map(csv_line, [self.columns, *self.rows]))


def accuracy_by_length(runs: Sequence[JudgedRun]) -> Table:
    """Return the share of answers that passed, in nine bins of trace length."""
    answers = list(runs[0].all_answers())
    edges = edges_of(answers)
    rows: list[Sequence[Any]] = [
        (round(low), round(high), *accuracy(binned))
        for (low, high), binned in zip(pairwise(edges), in_bins(answers, edges), strict=True)
    ]
    if untraced := [one for one in answers if one.trace_tokens is None]:
        rows.append(("no trace", None, *accuracy(untraced)))
    return Table(
        "accuracy-by-length",
        "Accuracy by trace length",
        "In the form of ConCuR's table of accuracy over nine bins of trace length, from "
        f"{paper.FIRST_TOKENS:,} to {paper.LAST_TOKENS:,} tokens there; here {bins_words(edges)}. Each answer of "
        "every turn counts once; an undecided one is wrong.",
        ("from tokens", "to tokens", "answers", "passed", "accuracy", "95 % from", "95 % to"),
        rows,
    )


def speedup_by_length(runs: Sequence[JudgedRun]) -> Table:
    """Return the speedups of what passed, in the same bins, and their correlation with the length."""
    timed = [one for one in runs[0].all_answers() if one.speedup is not None and one.trace_tokens is not None]
    edges = edges_of(list(runs[0].all_answers()))
    rows = [
        (round(low), round(high), len(binned), *spread([one.speedup or 0.0 for one in binned]))
        for (low, high), binned in zip(pairwise(edges), in_bins(timed, edges), strict=True)
    ]
    return Table(
        "speedup-by-length",
        "Speedup against trace length",
        "In the form of ConCuR's comparison of speedup and trace length, over answers that passed and have a "
        f"confirmed time. {correlation_words(correlation(timed))} The paper reports r = {paper.SPEEDUP_R} over n = "
        f"{paper.SPEEDUP_N:,} on its data.",
        ("from tokens", "to tokens", "answers", "lower quartile", "median", "upper quartile"),
        rows,
    )


def difficulty(runs: Sequence[JudgedRun]) -> Table:
    """Return the tasks by class of average reasoning length (ARL), with how the run does on each class."""
    judged = runs[0]
    groups: dict[str, list[Any]] = {name: [] for name in (*CLASSES, "no trace")}
    lengths: dict[str, list[float]] = {name: [] for name in groups}
    for task in judged.levels:
        traces = [
            one.trace_tokens
            for made in judged.by_task.get(task, [])
            for one in made
            if one.trace_tokens is not None
        ]
        name = class_of(statistics.fmean(traces)) if traces else "no trace"
        groups[name].append(task)
        lengths[name] += [statistics.fmean(traces)] if traces else []
    results = dict(zip(judged.levels, judged.evaluation().results, strict=True))
    rows = []
    for name, tasks in groups.items():
        own = [results[task] for task in tasks]
        shares = (round(fast_p(own, 0), 4), round(fast_p(own, 1), 4)) if own else (None, None)
        mean = round(statistics.fmean(lengths[name])) if lengths[name] else None
        rows.append((name, len(tasks), mean, *shares))
    return Table(
        "difficulty",
        "Difficulty by average reasoning length",
        "In the form of ConCuR's classes of difficulty: the mean trace length over a task's answers (ARL) under "
        f"{EASY_BELOW_TOKENS:,} tokens is easy, over {HARD_ABOVE_TOKENS:,} hard. The paper's means are over 10 "
        f"generations of one generator in its own tokens, these over the answers of this run "
        f"({judged.per_task} a task in its first turn).",
        ("class", "tasks", "mean ARL, tokens", "right", "faster"),
        rows,
    )


def generators(runs: Sequence[JudgedRun]) -> Table:
    """Return the runs over the same tasks on the same device, by level: right, faster, the fastest's mean speedup."""
    rows = []
    for judged in runs:
        for level in (None, *judged.distinct_levels):
            results = judged.evaluation(level=level).results
            best, timed = geometric_mean_speedup(results)
            shares = (round(fast_p(results, p), 4) for p in (0, 1, 2))
            rows.append(
                (
                    judged.run.name, judged.run.generator, "all" if level is None else level, len(results),
                    judged.per_task, judged.turns, *shares, None if best is None else round(best, 4), timed,
                )
            )  # fmt: skip
    return Table(
        "generators",
        "Generators compared",
        "In the form of ConCuR's comparison of generators on a frozen task set: every run of this site over the same "
        "tasks, judged on the same device. What is missing or undecided counts as wrong.",
        (
            *("run", "generator", "level", "tasks", "candidates per task", "turns"),
            *("fast_0", "fast_1", "fast_2", "geometric mean of fastest", "tasks with one"),
        ),
        rows,
    )


TABLES: dict[str, Callable[[Sequence[JudgedRun]], Table]] = {
    "accuracy-by-length": accuracy_by_length,
    "speedup-by-length": speedup_by_length,
    "difficulty": difficulty,
    "generators": generators,
}


# --- Parts --------------------------------------------------------------------------------------------------------


def edges_of(answers: Sequence[Answer]) -> list[float]:
    """Return the paper's bins if half of the traces are within them, else nine bins over these traces."""
    lengths = [one.trace_tokens for one in answers if one.trace_tokens is not None]
    inside = sum(paper.FIRST_TOKENS <= length <= paper.LAST_TOKENS for length in lengths)
    if inside * 2 >= len(lengths):
        return paper.edges()
    return paper.edges(min(lengths), max(max(lengths), min(lengths) + paper.BINS))


def bins_words(edges: Sequence[float]) -> str:
    if list(edges) == paper.edges():
        return "the same bins, the outer ones open"
    return f"nine bins from {edges[0]:,.0f} to {edges[-1]:,.0f} tokens"


def in_bins(answers: Sequence[Answer], edges: Sequence[float]) -> list[list[Answer]]:
    """Return the answers with a trace by bin; shorter and longer ones go to the first and the last."""
    bins: list[list[Answer]] = [[] for _ in range(len(edges) - 1)]
    for one in answers:
        if one.trace_tokens is not None:
            place = bisect_right(edges, one.trace_tokens) - 1
            bins[min(len(bins) - 1, max(0, place))].append(one)
    return bins


def accuracy(answers: Sequence[Answer]) -> tuple[Any, ...]:
    passed = sum(one.outcome == PASSED for one in answers)
    if not answers:
        return (0, 0, None, None, None)
    low, high = wilson(passed, len(answers))
    return (len(answers), passed, *(round(share, 4) for share in (passed / len(answers), low, high)))


def spread(values: Sequence[float]) -> tuple[float | None, ...]:
    if not values:
        return (None, None, None)
    if len(values) == 1:
        return (round(values[0], 4),) * 3
    return tuple(round(value, 4) for value in statistics.quantiles(values, n=4, method="inclusive"))


def correlation(timed: Sequence[Answer]) -> Correlation | None:
    if not timed:
        return None
    x = [float(one.trace_tokens or 0) for one in timed]
    y = [one.speedup or 0.0 for one in timed]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    pairs = [(a - mean_x, b - mean_y) for a, b in zip(x, y, strict=True)]
    sums = (sum(a * a for a, _ in pairs), sum(b * b for _, b in pairs), sum(a * b for a, b in pairs))
    return correlate(len(timed), mean_x, mean_y, *sums)


def correlation_words(found: Correlation | None) -> str:
    if found is None:
        return "Too few of them, or no spread, for a correlation."
    return f"Pearson's r = {found.r:.3f}, p = {found.p:.3g}, n = {found.n:,}."
