"""Finds the tasks of the store that are like a benchmark's, for the rule `decontaminate`.

By what is stored of each program: its fingerprint, its MinHash signature, its operators and, if it was traced, the
number of operator calls. No program is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Q, QuerySet

from datasets_app.curate.rule import Match
from datasets_app.curate.rules.decontaminate import Decontaminate
from datasets_app.models import Task
from datasets_app.similarity import minhash
from datasets_app.similarity.clusters import THRESHOLD

CHUNK = 2000
BAND_BYTES = minhash.BAND_ROWS * minhash.BYTES
Operators = frozenset[int]


class Program(NamedTuple):
    """What is stored of a task's program."""

    task: str
    name: str
    sha256: str | None  # None: no fingerprint yet
    signature: bytes
    operator_calls: int | None


@dataclass
class Benchmark:
    """A benchmark's tasks, by each of what is compared. Of tasks that agree, the one with the smallest id leads."""

    tasks: set[str] = field(default_factory=set)
    by_sha256: dict[str, Program] = field(default_factory=dict)
    by_band: dict[tuple[int, bytes], list[Program]] = field(default_factory=lambda: defaultdict(list))
    by_operators: dict[Operators, list[Program]] = field(default_factory=lambda: defaultdict(list))

    def add(self, program: Program, operators: Operators) -> None:
        self.tasks.add(program.task)
        if program.sha256:
            self.by_sha256.setdefault(program.sha256, program)
        for band in bands(program.signature):
            self.by_band[band].append(program)
        self.by_operators[operators].append(program)


def contaminated(rule: Decontaminate) -> dict[str, Match]:
    """Return the task ids that the rule drops, each with why. Four queries at most."""
    operators = operators_by_task() if "operators" in rule["methods"] else {}
    benchmark = Benchmark()
    for program in programs(Task.objects.filter(against(rule)).distinct()):
        benchmark.add(program, operators.get(program.task, frozenset()))
    found: dict[str, Match] = {}
    for program in programs(Task.objects.all()) if benchmark.tasks else ():
        match = match_of(program, operators.get(program.task, frozenset()), benchmark, rule)
        if match is not None:
            found[program.task] = match
    return found


def against(rule: Decontaminate) -> Q:
    """Return the condition of the benchmark's tasks."""
    wanted = Q(source__name__in=rule["sources"])
    if rule["tags"]:  # a join that others are spared
        wanted |= Q(samples__sample_tags__tag__name__in=rule["tags"])
    for suite in rule["suites"]:
        name, _, level = suite.partition("/")
        wanted |= Q(suite=name, level=int(level)) if level.isdecimal() and len(level) < 5 else Q(suite=suite)
    return wanted


def programs(tasks: QuerySet[Task]) -> Iterator[Program]:
    rows = tasks.order_by("pk").values_list(
        "pk", "name", "fingerprint__sha256", "fingerprint__signature", "operator_calls"
    )
    for task, name, sha256, signature, calls in rows.iterator(chunk_size=CHUNK):
        yield Program(str(task), name, sha256, bytes(signature or b""), calls)


def operators_by_task() -> dict[str, Operators]:
    found: dict[str, set[int]] = defaultdict(set)
    links = Task.operators.through.objects.order_by().values_list("task_id", "operator_id")
    for task, operator in links.iterator(chunk_size=CHUNK):
        found[str(task)].add(operator)
    return {task: frozenset(names) for task, names in found.items()}


def bands(signature: bytes) -> Iterator[tuple[int, bytes]]:
    for at in range(0, len(signature), BAND_BYTES):
        yield at, signature[at : at + BAND_BYTES]


def match_of(
    program: Program, operators: Operators, benchmark: Benchmark, rule: Decontaminate
) -> Match | None:
    """Return the strictest match of a program with the benchmark; None if there is none."""
    if program.task in benchmark.tasks:
        return Match("listed", program.name, program.name)
    if "exact" in rule["methods"] and program.sha256 in benchmark.by_sha256:
        return Match("exact", program.name, benchmark.by_sha256[program.sha256].name)
    if "near" in rule["methods"] and (near := nearest(program, benchmark)):
        return Match("near", program.name, near[1].name, round(near[0], 2))
    if "operators" in rule["methods"] and len(operators) >= rule["fewest_operators"]:
        same = (other for other in benchmark.by_operators.get(operators, ()) if calls_agree(program, other))
        if (other := next(same, None)) is not None:
            return Match("operators", program.name, other.name)
    return None


def nearest(program: Program, benchmark: Benchmark) -> tuple[float, Program] | None:
    """Return the most similar of the benchmark's programs that share a band, if it is similar enough."""
    candidates = {
        other.task: other for band in bands(program.signature) for other in benchmark.by_band.get(band, ())
    }
    if not candidates:
        return None
    own = minhash.unpack(program.signature)
    alike = [(minhash.estimate(own, minhash.unpack(other.signature)), other) for other in candidates.values()]
    best = min(alike, key=lambda pair: (-pair[0], pair[1].task))
    return best if best[0] >= THRESHOLD else None


def calls_agree(program: Program, other: Program) -> bool:
    """Return whether runs of both executed as many operators, where both were traced."""
    return (
        None in (program.operator_calls, other.operator_calls)
        or program.operator_calls == other.operator_calls
    )
