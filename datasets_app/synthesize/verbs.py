"""Starts, cancels and continues syntheses, for pages and commands alike."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.runs.record import run_of_synthesis
from datasets_app.ingest.sources import Provenance, source_for
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Candidate, CandidateState, IngestState, Loop, Source, Synthesis, Task
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.models.task import TaskQuerySet
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.run import TASK
from datasets_app.synthesize.templates import Messages, judging, template_named, with_hardware
from datasets_app.synthesize.verifying import check_profile
from datasets_app.text_input.validate import name_fault

MOST_CANDIDATES, MOST_PER_TASK, MOST_AT_ONCE, MOST_A_MINUTE = 50_000, 256, 64, 100_000
MOST_TOLD_TURNS = 8
LEAST_COST, MOST_COST = 1e-9, 1e9
BATCH_ROWS = 2_000
LIMITS = {"temperature": (0.0, 2.0), "top_p": (0.0, 1.0), "max_tokens": (1, 1_000_000)}


@dataclass(frozen=True)
class Plan:
    """What is asked for. `sampling` takes temperature, top_p, max_tokens and logprobs."""

    name: str
    endpoint: str
    model: str
    template: str = "zero-shot"
    hardware: str = ""
    per_task: int = 1
    sampling: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None  # None: drawn
    at_once: int = 8
    requests_a_minute: int = 0
    most_tokens: int | None = None
    most_cost: float | None = None
    licence: str = ""
    verify: str = "quick"  # the profile; empty: not verified
    inspect: bool = False  # verifications collect SASS and the profiler's counters


@needs(Scope.CURATE)
def start(plan: Plan, tasks: TaskQuerySet, actor: Actor, *, in_background: bool = True) -> Synthesis:
    """Store a synthesis with a waiting candidate for each answer, and queue it. Raises SynthesisError.

    With `in_background=False` the caller runs it.
    """
    template = template_named(plan.template)
    messages = with_hardware(template, plan.hardware)
    count = tasks.count()
    if not count:
        raise SynthesisError("No task matches: ingest tasks first, or ask for others.")
    if count * plan.per_task > MOST_CANDIDATES:
        raise SynthesisError(
            f"{count:,} tasks with {plan.per_task} candidates each are more than {MOST_CANDIDATES:,}."
        )
    asked = Question(template.label, messages, count * plan.per_task)
    return begin(plan, asked, lambda synthesis: add_candidates(synthesis, tasks), actor, in_background)


@dataclass(frozen=True)
class Judge:
    """The model that reads what a verification found and writes the advice for the next turn."""

    endpoint: str
    model: str


@dataclass(frozen=True)
class Question:
    """What the model is told, and for how many candidates. `refines`: the synthesis whose samples are fed back."""

    label: str
    messages: Messages
    count: int
    refines: Synthesis | None = None
    told_turns: int = 1  # earlier turns, the last one included
    judge: Judge | None = None
    loop: Loop | None = None

    def fields(self) -> dict[str, Any]:
        """Return the columns of a synthesis that say what it asks."""
        turn: dict[str, Any] = {
            "template": self.label,
            "messages": self.messages,
            "told_turns": self.told_turns,
        }
        if self.refines:
            turn |= {"refines": self.refines, "turn": self.refines.turn + 1, "run": self.refines.run}
        if self.judge:
            template = judging()
            turn |= {"judge_endpoint": self.judge.endpoint, "judge_model": self.judge.model.strip()}
            turn |= {"judge_template": template.label, "judge_messages": template.messages}
        return {**turn, "loop": self.loop}


@needs(Scope.CURATE)
def begin(
    plan: Plan, asked: Question, add: Callable[[Synthesis], None], actor: Actor, in_background: bool
) -> Synthesis:
    """Store a synthesis with the candidates that `add` adds, and queue it. Raises SynthesisError."""
    check(plan)
    check_profile(plan.verify, actor)
    if asked.judge:
        check_judge(asked.judge)
    whole("earlier turns that are told", asked.told_turns, 1, MOST_TOLD_TURNS)
    name = plan.name.strip()
    with transaction.atomic():
        refuse_known_name(name)
        synthesis = Synthesis.objects.create(
            name=name, endpoint=plan.endpoint, model=plan.model.strip(), sampling=plan.sampling,
            per_task=plan.per_task, at_once=plan.at_once,
            seed=secrets.randbelow(2**31 - MOST_PER_TASK) if plan.seed is None else plan.seed,
            requests_a_minute=plan.requests_a_minute, created_by=actor.user,
            most_tokens=plan.most_tokens, most_cost=plan.most_cost,
            verify_profile=plan.verify, inspect=plan.inspect,
            source=source_for(Provenance(name, "", plan.licence), None, name),
            **asked.fields(),
        )  # fmt: skip
        add(synthesis)
        if synthesis.run is None:
            synthesis.run = run_of_synthesis(synthesis)
            synthesis.save(update_fields=["run"])
        audit.record(actor, "synthesis.start", synthesis, name=name, count=asked.count, model=plan.model)
        if in_background:
            enqueue(TASK, synthesis.pk)
    return synthesis


def check_judge(judge: Judge) -> None:
    known_endpoint(judge.endpoint)
    if not judge.model.strip() or len(judge.model.strip()) > NAME_CHARS:
        raise SynthesisError(f"Name the judge's model in at most {NAME_CHARS} characters.")


def refuse_known_name(name: str) -> None:
    if Synthesis.objects.filter(name=name).exists():
        raise SynthesisError(f"There is a synthesis {name} already: go on with it, or choose another name.")
    if Source.objects.filter(name=name).exists():
        raise SynthesisError(
            f"There is a source {name} already, whose samples are others: choose another name."
        )


def add_candidates(synthesis: Synthesis, tasks: TaskQuerySet) -> None:
    """Add the candidates task by task, each task's first before any second: an early end leaves no task without one."""
    keys = list(tasks.order_by("name", "pk").values_list("pk", flat=True))
    Candidate.objects.bulk_create(
        (
            Candidate(synthesis=synthesis, task_id=key, number=number, trajectory=number)
            for number in range(synthesis.per_task)
            for key in keys
        ),
        batch_size=BATCH_ROWS,
    )


def check(plan: Plan) -> None:
    """Raise SynthesisError for what cannot be asked for."""
    if not plan.name.strip() or (fault := name_fault("The name", plan.name.strip(), NAME_CHARS)):
        raise SynthesisError(
            fault if plan.name.strip() else "Give the synthesis a name: its samples' source has it."
        )
    known_endpoint(plan.endpoint)
    if not plan.model.strip() or len(plan.model.strip()) > NAME_CHARS:
        raise SynthesisError(f"Name the model as its endpoint calls it, in at most {NAME_CHARS} characters.")
    whole("candidates per task", plan.per_task, 1, MOST_PER_TASK)
    whole("requests at once", plan.at_once, 1, MOST_AT_ONCE)
    whole("requests a minute", plan.requests_a_minute, 0, MOST_A_MINUTE)
    if plan.seed is not None:
        whole("seed", plan.seed, 0, 2**31 - MOST_PER_TASK)
    check_budget(plan.most_tokens, plan.most_cost)
    for name, value in plan.sampling.items():
        if name in LIMITS and not LIMITS[name][0] <= value <= LIMITS[name][1]:
            low, high = LIMITS[name]
            raise SynthesisError(f"{name} is {value}; it must be from {low} to {high}.")
        if name not in (*LIMITS, "logprobs"):
            raise SynthesisError(
                f"{name!r} is no setting of sampling; these are: {', '.join((*LIMITS, 'logprobs'))}."
            )


def known_endpoint(name: str) -> None:
    if name not in settings.ENDPOINTS:
        known = ", ".join(settings.ENDPOINTS) or "none; name one in CONCUR_ENDPOINTS"
        raise SynthesisError(f"No endpoint is called {name!r}. Endpoints: {known}.")


def check_budget(tokens: int | None, cost: float | None) -> None:
    """Raise SynthesisError for limits that cannot be; None: no limit."""
    if tokens is not None:
        whole("tokens", tokens, 1, 2**53)
    if cost is not None and not LEAST_COST <= cost <= MOST_COST:
        raise SynthesisError(
            f"The cost that is allowed is {cost:g}; it must be above 0, at most {MOST_COST:,.0f}."
        )


def whole(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise SynthesisError(f"The number of {what} is {value}; it must be from {low} to {high:,}.")


@needs(Scope.CURATE)
def cancel(synthesis: Synthesis, actor: Actor) -> None:
    """End a synthesis; what is stored stays. Raises SynthesisError if it has ended."""
    open_ones = Synthesis.objects.filter(pk=synthesis.pk, state__in=[IngestState.QUEUED, IngestState.RUNNING])
    with transaction.atomic():
        if not open_ones.update(
            state=IngestState.CANCELLED,
            stopped=f"Cancelled by {actor.name}.",
            finished_at=timezone.now(),
            lease_until=None,
        ):
            raise SynthesisError("It has ended already.")
        end_loop_of(synthesis)
        audit.record(actor, "synthesis.cancel", synthesis, name=synthesis.name)
    synthesis.refresh_from_db()


def end_loop_of(synthesis: Synthesis) -> None:
    """Cancel the loop whose newest turn this is: no other turn follows one that somebody cancelled."""
    loops = Loop.objects.filter(current=synthesis, state__in=[IngestState.QUEUED, IngestState.RUNNING])
    loops.update(state=IngestState.CANCELLED, finished_at=timezone.now(), lease_until=None)


@needs(Scope.CURATE)
def go_on(
    synthesis: Synthesis,
    actor: Actor,
    *,
    most_tokens: int | None = None,
    most_cost: float | None = None,
    in_background: bool = True,
) -> int:
    """Ask again for what waits and what was never answered. Return how many candidates that is.

    `most_tokens` and `most_cost` replace the limits, if given. Raises SynthesisError if nothing is left, or it works.
    """
    check_budget(most_tokens, most_cost)
    with transaction.atomic():
        ended = Synthesis.objects.select_for_update().filter(pk=synthesis.pk).first()
        if ended is None or not ended.is_finished:
            raise SynthesisError("It still works; cancel it first.")
        candidates = Candidate.objects.filter(synthesis=synthesis)
        candidates.filter(state=CandidateState.FAILED).update(
            state=CandidateState.WAITING, reason="", detail=""
        )
        count = candidates.waiting().count()
        if not count:
            raise SynthesisError("Every candidate was answered; nothing is left to ask for.")
        Synthesis.objects.filter(pk=synthesis.pk).update(
            state=IngestState.QUEUED, error="", stopped="", finished_at=None,
            most_tokens=most_tokens or ended.most_tokens, most_cost=most_cost or ended.most_cost,
        )  # fmt: skip
        audit.record(actor, "synthesis.again", synthesis, name=synthesis.name, count=count)
        if in_background:
            enqueue(TASK, synthesis.pk)
    synthesis.refresh_from_db()
    return count


def tasks_of(
    suite: str = "", level: int | None = None, words: str = "", limit: int | None = None
) -> TaskQuerySet:
    """Return the tasks of a suite and level whose name or program holds the words, by name; all of them by default."""
    tasks = Task.objects.search(words) if words else Task.objects.all()
    if suite:
        tasks = tasks.filter(suite=suite)
    if level is not None:
        tasks = tasks.filter(level=level)
    if limit is None:
        return tasks
    return Task.objects.filter(pk__in=list(tasks.order_by("name", "pk").values_list("pk", flat=True)[:limit]))
