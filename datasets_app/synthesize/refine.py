"""Refinement: a synthesis whose candidates answer the feedback on the samples of another one, a turn later.

Each candidate has a parent, whose program its model wrote and whose verification is the feedback. A series of such
syntheses is the serial refinement of Kevin and CudaForge; each of them ends, is resumed and has a budget as any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.db.batched import batched
from datasets_app.evidence import devices
from datasets_app.models import Candidate, Evidence, IngestState, Loop, Sample, Synthesis, Verification
from datasets_app.models.outcome import Outcome
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.feedback import feedback_of
from datasets_app.synthesize.templates import refinement
from datasets_app.synthesize.verbs import (
    MOST_CANDIDATES,
    MOST_PER_TASK,
    Judge,
    Plan,
    Question,
    begin,
    whole,
)

AT_ONCE = 200  # reports in memory


@dataclass(frozen=True)
class Refinement:
    """What is asked for: `per_parent` answers to the feedback on each sample that is not good enough.

    A sample is good enough if it passed and is at least `until` times as fast as eager.
    """

    name: str
    until: float = 1.0
    per_parent: int = 1
    most_tokens: int | None = None
    most_cost: float | None = None
    verify: str = "quick"
    inspect: bool = False
    told_turns: int = 1
    judge_endpoint: str = ""  # empty: no judge
    judge_model: str = ""

    @property
    def judge(self) -> Judge | None:
        return Judge(self.judge_endpoint, self.judge_model) if self.judge_endpoint else None


@needs(Scope.CURATE)
def refine(wanted: Refinement, of: Synthesis, actor: Actor, *, in_background: bool = True) -> Synthesis:
    """Store a synthesis of the next turn with its candidates, and queue it. Raises SynthesisError.

    Endpoint, model, sampling and pace are those of `of`. Samples without a verdict on the reference device (or, if none
    has one there, on the device with most of their evidence) are left out: verify them first.
    """
    if not of.is_finished:
        raise SynthesisError(f"{of.name} still works: refine it when it has ended.")
    if not 0 < wanted.until <= 1000:
        raise SynthesisError(
            f"The speedup that is good enough is {wanted.until:g}; it must be above 0, at most 1,000."
        )
    if Loop.objects.filter(turns=of, state__in=[IngestState.QUEUED, IngestState.RUNNING]).exists():
        raise SynthesisError(f"The turns of {of.name} start by themselves: cancel them first.")
    whole("candidates a sample", wanted.per_parent, 1, MOST_PER_TASK)
    parents = parents_of(of, wanted.until)
    count = len(parents) * wanted.per_parent
    if count > MOST_CANDIDATES:
        raise SynthesisError(f"{count:,} candidates are more than {MOST_CANDIDATES:,}.")
    plan = Plan(
        wanted.name, of.endpoint, of.model, per_task=wanted.per_parent, sampling=of.sampling, at_once=of.at_once,
        requests_a_minute=of.requests_a_minute, most_tokens=wanted.most_tokens, licence=of.source.licence,
        verify=wanted.verify, inspect=wanted.inspect, most_cost=wanted.most_cost,
    )  # fmt: skip
    template = refinement()
    asked = Question(template.label, template.messages, count, of, wanted.told_turns, wanted.judge)
    return begin(plan, asked, lambda made: add_turns(made, parents, wanted.per_parent), actor, in_background)


def parents_of(of: Synthesis, until: float) -> list[tuple[Any, Any]]:
    """Return (sample, its verification) of those not good enough, by task. Raises SynthesisError if none is."""
    stored = Sample.objects.in_use().filter(candidates__synthesis=of)
    decided = Evidence.objects.on(devices.device_of(stored)).filter(sample__in=stored.order_by().values("pk"))
    if not decided.exists():
        raise SynthesisError(f"No sample of {of.name} has a verdict yet: verify them first.")
    wanting = decided.exclude(outcome=Outcome.PASSED, speedup__gte=until)
    rows = wanting.order_by("sample__task__name", "sample_id").values_list("sample_id", "verification_id")
    if not (found := list(rows)):
        raise SynthesisError(
            f"Every sample of {of.name} with a verdict passed and is at least {until:g} times as fast as eager."
        )
    return found


def add_turns(synthesis: Synthesis, parents: list[tuple[Any, Any]], per_parent: int) -> None:
    """Add the candidates, each with its parent and the feedback on it; each parent's first before any second."""
    numbers: Counter[Any] = Counter()
    trajectories = trajectories_of(synthesis.refines)
    for _ in range(per_parent):
        for part in batched(parents, AT_ONCE):
            runs = runs_with_reports([run for _, run in part])
            Candidate.objects.bulk_create(
                next_turn(synthesis, runs[run], numbers, trajectories.get(sample, 0)) for sample, run in part
            )


def trajectories_of(synthesis: Synthesis | None) -> dict[Any, int]:
    """Return the trajectory of each sample of a synthesis; of a text that was answered twice, the lowest one."""
    rows = Candidate.objects.filter(synthesis=synthesis, sample__isnull=False).order_by("-trajectory")
    return dict(rows.values_list("sample", "trajectory"))


def runs_with_reports(pks: Sequence[Any]) -> dict[Any, Verification]:
    return Verification.objects.select_related("sample__task", "report").in_bulk(pks)


def next_turn(synthesis: Synthesis, run: Verification, numbers: Counter[Any], trajectory: int) -> Candidate:
    """Return a candidate that follows the sample of this verification; `numbers` counts those of each task."""
    task = run.sample.task_id
    numbers[task] += 1
    if numbers[task] > MOST_PER_TASK:
        raise SynthesisError(
            f"{run.sample.task.name} would have more than {MOST_PER_TASK} candidates: ask for fewer answers a sample."
        )
    return Candidate(
        synthesis=synthesis,
        task_id=task,
        number=numbers[task] - 1,
        trajectory=trajectory,
        parent=run.sample,
        feedback=feedback_on(run),
    )


def feedback_on(run: Verification) -> str:
    report = getattr(run, "report", None)
    return feedback_of(run, report.report if report else {})
