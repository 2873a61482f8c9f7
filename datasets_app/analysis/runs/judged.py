"""A run judged: what each candidate came to after each of its turns; what is missing or undecided counts as wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from datasets_app.analysis.evaluation import MISSING, NO_KERNEL, UNDECIDED, Evaluation
from datasets_app.analysis.metrics import REACHED, MetricError, TaskResult
from datasets_app.evidence import devices
from datasets_app.evidence.choose import strictness
from datasets_app.models import (
    Candidate,
    CandidateState,
    EvaluationRun,
    Evidence,
    Sample,
    Synthesis,
)

MOST_ANSWERS = 100_000
PASSED = "passed"
Key = tuple[UUID, int]  # a task and the number of a candidate's trajectory


@dataclass(frozen=True)
class Answer:
    """What one answer came to. `tokens`: of its prompt, its text and its judge; 0 where nobody counted them."""

    turn: int
    outcome: str
    speedup: float | None = None
    tokens: int = 0
    trace_tokens: int | None = None

    @property
    def merit(self) -> tuple[int, float]:
        return REACHED.get(self.outcome, 0), self.speedup or 0.0


@dataclass(frozen=True)
class JudgedRun:
    """The answers of a run by candidate, on one device. `levels`: the level of each task of its set."""

    run: EvaluationRun
    device: str
    levels: dict[UUID, int | None]
    answers: dict[Key, tuple[Answer, ...]]
    turns: int

    @cached_property
    def per_task(self) -> int:
        """Return the candidates of a task: as many as were asked for, else as many as the task with most."""
        counts = Counter(task for task, _ in self.answers)
        return max(self.run.per_task or 1, max(counts.values(), default=1))

    @cached_property
    def by_task(self) -> dict[UUID, list[tuple[Answer, ...]]]:
        found: dict[UUID, list[tuple[Answer, ...]]] = defaultdict(list)
        for (task, _), made in self.answers.items():
            found[task].append(made)
        return found

    def evaluation(self, turn: int | None = None, level: int | None = None) -> Evaluation:
        """Return the results after a turn (the last one by default), of all tasks or those of one level.

        A candidate counts with the best of its answers up to then, as in Kevin and CudaForge.
        """
        last = self.turns - 1 if turn is None else turn
        keys = [key for key, own in self.levels.items() if level is None or own == level]
        outcomes: Counter[str] = Counter()
        results = []
        for key in keys:
            best = [best_of(made, last) for made in self.by_task.get(key, [])]
            outcomes.update(one.outcome for one in best)
            outcomes[MISSING] += self.per_task - len(best)
            passed = [one for one in best if one.outcome == PASSED]
            timed = tuple(one.speedup for one in passed if one.speedup is not None)
            results.append(TaskResult(self.per_task, len(passed), timed))
        counted = {name: n for name, n in sorted(outcomes.items(), key=lambda pair: (-pair[1], pair[0])) if n}
        return Evaluation(self.run.name, self.device, self.run.task_set.sha256, tuple(results), counted)

    def all_answers(self, turn: int | None = None) -> Iterable[Answer]:
        """Return the answers up to a turn; of all turns by default."""
        everything = (one for made in self.answers.values() for one in made)
        return (one for one in everything if turn is None or one.turn <= turn)

    @property
    def distinct_levels(self) -> list[int]:
        return sorted({level for level in self.levels.values() if level is not None})


def best_of(made: Sequence[Answer], turn: int) -> Answer:
    """Return the best answer up to a turn; one that is missing if there is none yet."""
    return max(
        (one for one in made if one.turn <= turn), key=lambda one: one.merit, default=Answer(0, MISSING)
    )


def judge_run(run: EvaluationRun, device: str = "") -> JudgedRun:
    """Judge a run on a device: the given one, its own, or the one with most of its evidence. Raises MetricError.

    At most seven queries, however many answers and turns there are.
    """
    levels = dict(run.task_set.tasks().order_by("pk").values_list("pk", "level"))
    turns = turns_of(run)
    samples = samples_of(run, turns)
    chosen = device or run.device or devices.device_of(samples)
    verdicts = Evidence.objects.on(chosen).filter(sample__in=samples.order_by().values("pk")).order_by()
    rows = verdicts.values_list("sample", "outcome", "speedup", "profile")
    decided = {
        sample: (outcome, speedup)
        for sample, outcome, speedup, profile in rows.iterator()
        if strictness(profile) >= strictness(run.profile)
    }
    answers = answers_to(turns, set(levels), decided) if turns else answers_in(samples, decided)
    return JudgedRun(run, chosen, levels, answers, max((one.turn for one in turns), default=0) + 1)


def turns_of(run: EvaluationRun) -> list[Synthesis]:
    """Return the syntheses of a run, the first turn first; none for a run that no synthesis made."""
    first = Synthesis.objects.filter(source=run.source_id).first()
    if first is None:
        return []
    if first.turn or first.run_id is None:
        return [first]
    return list(Synthesis.objects.filter(run=first.run_id).order_by("turn", "created_at", "pk"))


def samples_of(run: EvaluationRun, turns: Sequence[Synthesis]) -> QuerySet[Any]:
    """Return the samples of a run that nobody has withdrawn."""
    kept = Sample.objects.in_use()
    if turns:
        return kept.filter(pk__in=Candidate.objects.filter(synthesis__in=turns).order_by().values("sample"))
    return kept.filter(source=run.source_id, task__in=run.task_set.members.order_by().values("task"))


Decided = dict[UUID, tuple[str, float | None]]


def answers_to(
    turns: Sequence[Synthesis], tasks: set[UUID], decided: Decided
) -> dict[Key, tuple[Answer, ...]]:
    """Return the answers to these syntheses' candidates. Raises MetricError if they are too many."""
    columns = ("task", "trajectory", "synthesis__turn", "state", "sample", "sample__withdrawn")
    asked = Candidate.objects.filter(synthesis__in=turns).order_by("synthesis__turn", "pk")
    tokens = F("prompt_tokens") + F("answer_tokens") + F("judge_prompt_tokens") + F("judge_answer_tokens")
    rows = asked.annotate(tokens=tokens).values_list(*columns, "tokens", "sample__trace_tokens")
    found: dict[Key, list[Answer]] = defaultdict(list)
    for at, (task, number, turn, state, sample, withdrawn, used, length) in enumerate(rows.iterator()):
        if at >= MOST_ANSWERS:
            raise MetricError(f"a run has at most {MOST_ANSWERS:,} answers")
        if task not in tasks:
            continue
        if state == CandidateState.WAITING:
            outcome, speedup = MISSING, None
        elif sample is None or withdrawn:
            outcome, speedup = NO_KERNEL, None
        else:
            outcome, speedup = decided.get(sample, (UNDECIDED, None))
        found[task, number].append(Answer(turn, outcome, speedup, used, length))
    return {key: tuple(made) for key, made in found.items()}


def answers_in(samples: QuerySet[Any], decided: Decided) -> dict[Key, tuple[Answer, ...]]:
    """Return each sample as a candidate of one turn. Raises MetricError if they are too many."""
    found: dict[Key, tuple[Answer, ...]] = {}
    numbers: Counter[UUID] = Counter()
    for pk, task, length in samples.order_by("pk").values_list("pk", "task", "trace_tokens").iterator():
        if len(found) >= MOST_ANSWERS:
            raise MetricError(f"a run has at most {MOST_ANSWERS:,} answers")
        found[task, numbers[task]] = (Answer(0, *decided.get(pk, (UNDECIDED, None)), trace_tokens=length),)
        numbers[task] += 1
    return found
