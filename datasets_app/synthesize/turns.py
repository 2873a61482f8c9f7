"""Runs a loop: when its current turn is verified, a rule ends it or the next turn starts.

A loop is a job that is queued while it waits. Each attempt claims it, looks once, and ends it or puts it back behind a
new turn, in one transaction: a worker that dies in between leaves nothing half done, and a second message does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction

from datasets_app.accounts.actor import Actor, account
from datasets_app.accounts.roles import Scope
from datasets_app.db.batched import batched
from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.models import Candidate, IngestState, Loop, LoopPolicy, Sample, Source, Synthesis
from datasets_app.models.loop import LoopEnd
from datasets_app.models.synthesis import NAME_CHARS
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.policies import Step, Used, ending, steps
from datasets_app.synthesize.refine import AT_ONCE, feedback_on, runs_with_reports
from datasets_app.synthesize.templates import refinement
from datasets_app.synthesize.told import with_kernels
from datasets_app.synthesize.trajectories import Attempt, trajectories_of
from datasets_app.synthesize.verbs import MOST_PER_TASK, Judge, Plan, Question, begin
from datasets_app.synthesize.verifying import have_verified

CROSSED = """Another kernel for this program passed{speed}:

```python
{kernel}
```

Combine what is good in the two kernels into one program."""
REFUSED = "The answer after that could not be used: {}. Give the whole program in one code block."


def run_loop(pk: Any, *, in_background: bool = True) -> None:
    """Take a loop that is due one turn further. With `in_background=False` the caller runs the turn."""
    run_claimed(job_row.claim(Loop, pk), partial(advance, in_background=in_background), (SynthesisError,))


def advance(loop: Loop, in_background: bool) -> None:
    current = Synthesis.objects.select_related("source", "run").get(pk=loop.current_id)
    if current.state != IngestState.DONE:
        raise SynthesisError(f"Turn {current.turn} did not end well: {current.error or current.stopped}")
    # A loop may have started after its first turn looked whether it is to be verified.
    if current.verify_action_id is None and have_verified(current):
        job_row.postpone(loop, "", attempt=loop.attempt - 1)
        return
    trajectories, used = trajectories_of(loop), used_by(loop)
    wanted: list[Step] = []
    rule = ending(loop, trajectories, current.turn, used)
    if rule is None:
        wanted = steps(loop, trajectories, current.turn + 1)
        rule = None if wanted else LoopEnd.NOTHING_TO_ASK
    if rule is not None:
        job_row.finish(loop, ended_by=rule)
        return
    with transaction.atomic():
        turn = begin_turn(loop, current, wanted, used, in_background)
        job_row.postpone(loop, "", attempt=loop.attempt - 1, current=turn)


def used_by(loop: Loop) -> Used:
    """Return what all turns of a loop have used."""
    candidates = Candidate.objects.filter(synthesis__loop=loop)
    return Used(candidates.tokens(), candidates.cost())


def begin_turn(
    loop: Loop, current: Synthesis, wanted: Sequence[Step], used: Used, in_background: bool
) -> Synthesis:
    """Store the next turn with its candidates, and queue it. The model, its sampling and its pace are the first's."""
    first = loop.first
    turn = current.turn + 1
    plan = Plan(
        turn_name(first.name, turn), first.endpoint, first.model, per_task=first.per_task, sampling=first.sampling,
        seed=(first.seed + turn * first.per_task) % (2**31 - MOST_PER_TASK), at_once=first.at_once,
        requests_a_minute=first.requests_a_minute, verify=loop.verify_profile, inspect=loop.inspect,
        licence=first.source.licence,
        most_tokens=None if loop.most_tokens is None else loop.most_tokens - used.tokens,
        most_cost=None if loop.most_cost is None else loop.most_cost - (used.cost or 0.0),
    )  # fmt: skip
    return begin(
        plan,
        question(loop, current, len(wanted)),
        lambda made: add_steps(made, wanted),
        actor_of(loop),
        in_background,
    )


def question(loop: Loop, current: Synthesis, count: int) -> Question:
    if loop.policy == LoopPolicy.BEST_OF_N:
        return Question(loop.first.template, loop.first.messages, count, current, loop=loop)
    template = refinement()
    judge = Judge(loop.judge_endpoint, loop.judge_model) if loop.has_judge else None
    return Question(template.label, template.messages, count, current, loop.told_turns, judge, loop)


def actor_of(loop: Loop) -> Actor:
    """Return whoever started the loop. Raises SynthesisError if that account may not start turns any longer."""
    actor = account(loop.created_by)
    if not actor.may(Scope.CURATE):
        raise SynthesisError(f"{actor.name} may not start turns any longer; a curator can go on with them.")
    return actor


def turn_name(first: str, turn: int) -> str:
    """Return a free name for a turn, which its samples' source has as well."""
    for suffix in (f", turn {turn}", *(f", turn {turn} ({again})" for again in range(2, 100))):
        name = first[: NAME_CHARS - len(suffix)] + suffix
        taken = Synthesis.objects.filter(name=name).exists() or Source.objects.filter(name=name).exists()
        if not taken:
            return name
    raise SynthesisError(f"No name is free for turn {turn} of {first}.")


def add_steps(synthesis: Synthesis, wanted: Sequence[Step]) -> None:
    """Add the candidates of a turn, a few hundred reports at a time."""
    for part in batched(wanted, AT_ONCE):
        runs = runs_with_reports([step.parent.run for step in part if step.parent])
        mates = with_kernels({step.mate.sample for step in part if step.mate})
        Candidate.objects.bulk_create(candidate_of(synthesis, step, runs, mates) for step in part)


def candidate_of(
    synthesis: Synthesis, step: Step, runs: dict[Any, Any], mates: dict[Any, Sample]
) -> Candidate:
    made = Candidate(
        synthesis=synthesis,
        task_id=step.trajectory.task,
        number=step.trajectory.number,
        trajectory=step.trajectory.number,
    )
    if step.parent:
        made.parent_id = step.parent.sample
        made.feedback = feedback_on(runs[step.parent.run])
        if step.refusal:
            made.feedback += f"\n\n{REFUSED.format(step.refusal)}"
        if step.mate and step.mate.sample in mates:
            made.feedback += f"\n\n{crossed(step.mate, mates[step.mate.sample])}"
    return made


def crossed(mate: Attempt, sample: Sample) -> str:
    """Return what is told of a second parent. It is stored with the feedback, so that a trajectory shows it."""
    speed = f" and is {mate.speedup:.2f} times as fast as eager" if mate.speedup else ""
    return CROSSED.format(speed=speed, kernel=sample.body.kernel_code.strip())
