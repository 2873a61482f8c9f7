"""What a run's page, REST and files show: metrics by level, figures, tables, and runs over the same tasks beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datasets_app.analysis.evaluation import MISSING, NO_KERNEL, UNDECIDED
from datasets_app.analysis.figures.figure import Figure
from datasets_app.analysis.figures.turns import best_of_n_figure, turns_figure
from datasets_app.analysis.metrics import MetricError
from datasets_app.analysis.runs.judged import JudgedRun, judge_run
from datasets_app.analysis.runs.tables import TABLES, Table
from datasets_app.analysis.runs.turns import Turn, best_of_n, by_turn
from datasets_app.evidence import devices
from datasets_app.models import EvaluationRun

MOST_COMPARED = 8  # runs over the same tasks that stand beside one, the newest
PS = (1.0, 1.5, 2.0)  # of fast_p
NOT_DECIDED = frozenset({MISSING, NO_KERNEL, UNDECIDED})
FIGURES = ("turns", "best-of-n")


@dataclass(frozen=True)
class RunReport:
    """A judged run, and the judged runs over the same tasks on the same device, itself the first."""

    judged: JudgedRun
    compared: tuple[JudgedRun, ...]

    @property
    def ks(self) -> list[int]:
        return sorted({1, self.judged.per_task})

    @cached_property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Return every metric of all tasks and, where there are several, of each level, by the column's name."""
        levels = self.judged.distinct_levels
        columns: dict[str, int | None] = {"all": None}
        if len(levels) > 1:
            columns |= {f"level {level}": level for level in levels}
        return {name: self.of_level(level) for name, level in columns.items()}

    def of_level(self, level: int | None) -> dict[str, Any]:
        found = self.judged.evaluation(level=level)
        stages = {f"stage: {name}": share for name, share in found.stages().items()}
        twice = {f"fast_{p:g}@1" for p in PS}  # the same as fast_p
        metrics = {name: value for name, value in found.metrics(PS, self.ks).items() if name not in twice}
        return {"tasks": len(found.results), **metrics, **stages}

    @cached_property
    def metric_rows(self) -> list[tuple[str, list[Any]]]:
        """Return the metrics by row, a value for each column."""
        columns = list(self.metrics.values())
        return [(name, [column[name] for column in columns]) for name in columns[0]]

    @cached_property
    def outcomes(self) -> dict[str, int]:
        return self.judged.evaluation().outcomes

    @property
    def not_decided(self) -> dict[str, int]:
        """Return how many candidates are missing, undecided or without a kernel: they count as wrong."""
        return {name: n for name, n in self.outcomes.items() if name in NOT_DECIDED}

    @cached_property
    def turns(self) -> list[Turn]:
        return by_turn(self.judged)

    def figure(self, name: str) -> Figure:
        """Return one of FIGURES."""
        if name == "turns":
            return turns_figure(self.turns)
        return best_of_n_figure([(one.run.name, best_of_n(one), by_turn(one)) for one in self.compared])

    def figures(self) -> list[Figure]:
        """Return the figures that say something: the one of turns for a run that has several."""
        return [self.figure(name) for name in FIGURES if name != "turns" or self.judged.turns > 1]

    def table(self, name: str) -> Table:
        return TABLES[name](self.compared)

    def tables(self) -> list[Table]:
        return [self.table(name) for name in TABLES]


def report_on(run: EvaluationRun, device: str = "") -> RunReport:
    """Judge a run and those over the same tasks on one device, by default the run's own or the one with most evidence.

    Raises MetricError if it cannot be judged, UnknownDeviceError.
    """
    judged = judge_run(run, devices.with_evidence(device) if device else "")
    others = EvaluationRun.objects.select_related("task_set", "source").filter(task_set=run.task_set_id)
    return RunReport(judged, (judged, *comparable(others.exclude(pk=run.pk)[:MOST_COMPARED], judged.device)))


def comparable(runs: Iterable[EvaluationRun], device: str) -> list[JudgedRun]:
    """Return the runs that have a verdict on the device."""
    found = []
    for run in runs:
        try:
            judged = judge_run(run, device)
        except MetricError:
            continue
        if any(one.outcome not in NOT_DECIDED for one in judged.all_answers()):
            found.append(judged)
    return found
