"""Starts, cancels and continues loops, for pages, REST and commands alike."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import CandidateState, IngestState, Loop, LoopEnd, LoopPolicy, Synthesis
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.policies import Used
from datasets_app.synthesize.turns import used_by
from datasets_app.synthesize.verbs import (
    LEAST_COST,
    MOST_CANDIDATES,
    MOST_TOLD_TURNS,
    Judge,
    cancel,
    check_budget,
    check_judge,
    go_on,
    whole,
)
from datasets_app.synthesize.verifying import check_profile, have_verified
from datasets_app.synthesize.waking import wake_loop_of

MOST_TURNS, MOST_ISLANDS = 100, 16
WORKING = (IngestState.QUEUED, IngestState.RUNNING)


@dataclass(frozen=True)
class LoopPlan:
    """How the turns of a synthesis go on, and when they end. The columns of Loop say what each field means."""

    policy: str = LoopPolicy.SERIAL
    most_turns: int = 4
    until: float = 1.0
    patience: int | None = None
    most_tokens: int | None = None
    most_cost: float | None = None
    told_turns: int = 1
    verify_profile: str = "quick"
    inspect: bool = False
    judge_endpoint: str = ""
    judge_model: str = ""
    islands: int = 1
    migrate_every: int = 3


@needs(Scope.CURATE)
def start_loop(plan: LoopPlan, first: Synthesis, actor: Actor, *, in_background: bool = True) -> Loop:
    """Store a loop that takes a first turn further. It may still work, or wait for its verification.

    Raises SynthesisError, also where its turns have started already.
    """
    check_plan(plan, actor)
    if first.turn or first.refinements.exists():
        raise SynthesisError(f"{first.name} has further turns already: a loop starts from a first turn.")
    check_count(plan.most_turns, first)
    with transaction.atomic():
        try:
            with transaction.atomic():
                loop = Loop.objects.create(first=first, current=first, created_by=actor.user, **asdict(plan))
        except IntegrityError:
            raise SynthesisError(f"The turns of {first.name} start by themselves already.") from None
        Synthesis.objects.filter(pk=first.pk).update(loop=loop)
        has_first_turn_verified(loop, first)
        audit.record(actor, "loop.start", first, name=first.name, policy=plan.policy, turns=plan.most_turns)
        if in_background:
            wake_loop_of(first.pk)
    return loop


def has_first_turn_verified(loop: Loop, first: Synthesis) -> None:
    """Have the first turn verified as all others are, if nobody asked for that: now, or when it ends."""
    if not Synthesis.objects.filter(pk=first.pk, verify_profile="").update(
        verify_profile=loop.verify_profile, inspect=loop.inspect
    ):
        return
    first.refresh_from_db()
    if first.state == IngestState.DONE:
        have_verified(first)


def check_count(turns: int, first: Synthesis) -> None:
    """Raise SynthesisError if so many turns could ask for too many candidates."""
    most = turns * first.candidates.count()
    if most > MOST_CANDIDATES:
        raise SynthesisError(f"{most:,} candidates in all turns are more than {MOST_CANDIDATES:,}.")


def check_plan(plan: LoopPlan, actor: Actor) -> None:
    """Raise SynthesisError for what no loop can do."""
    if plan.policy not in LoopPolicy.values:
        raise SynthesisError(
            f"No policy is called {plan.policy!r}. Policies: {', '.join(LoopPolicy.values)}."
        )
    whole("turns", plan.most_turns, 2, MOST_TURNS)
    if not 0 <= plan.until <= 1000:
        raise SynthesisError(
            f"The speedup that is good enough is {plan.until:g}; it must be from 0, where passing is enough, to 1,000."
        )
    if plan.patience is not None:
        whole("turns without a gain", plan.patience, 1, MOST_TURNS)
    check_budget(plan.most_tokens, plan.most_cost)
    whole("earlier turns that are told", plan.told_turns, 1, MOST_TOLD_TURNS)
    whole("islands", plan.islands, 1, MOST_ISLANDS)
    whole("turns between migrations", plan.migrate_every, 1, MOST_TURNS)
    if not plan.verify_profile:
        raise SynthesisError("Choose a profile: a loop goes on from what verifications find.")
    check_profile(plan.verify_profile, actor)
    if plan.judge_endpoint or plan.judge_model:
        if plan.policy == LoopPolicy.BEST_OF_N:
            raise SynthesisError("best_of_n tells no feedback, so that there is nothing for a judge to read.")
        check_judge(Judge(plan.judge_endpoint, plan.judge_model))


@needs(Scope.CURATE)
def cancel_loop(loop: Loop, actor: Actor) -> None:
    """End a loop and the turn that is under way; what is stored stays. Raises SynthesisError if it has ended."""
    with transaction.atomic():
        ended = Loop.objects.filter(pk=loop.pk, state__in=WORKING).update(
            state=IngestState.CANCELLED, finished_at=timezone.now(), lease_until=None
        )
        if not ended:
            raise SynthesisError("The turns have ended already.")
        current = Synthesis.objects.get(pk=Loop.objects.get(pk=loop.pk).current_id)
        if not current.is_finished:
            cancel(current, actor)
        audit.record(actor, "loop.cancel", loop.first, name=loop.first.name)
    loop.refresh_from_db()


@needs(Scope.CURATE)
def continue_loop(
    loop: Loop,
    actor: Actor,
    *,
    most_turns: int | None = None,
    most_tokens: int | None = None,
    most_cost: float | None = None,
    in_background: bool = True,
) -> None:
    """Go on with a loop that ended, under other limits if they are given. Raises SynthesisError if it still works.

    What its last turn was not answered is asked for first. Turns that bring no gain end it no more, if that ended it.
    """
    if most_turns is not None:
        whole("turns", most_turns, 2, MOST_TURNS)
        check_count(most_turns, loop.first)
    check_budget(most_tokens, most_cost)
    with transaction.atomic():
        ended = Loop.objects.select_for_update().filter(pk=loop.pk).first()
        if ended is None or not ended.is_finished:
            raise SynthesisError("The turns still go on; cancel them first.")
        ended.most_tokens, ended.most_cost = most_tokens or ended.most_tokens, most_cost or ended.most_cost
        Loop.objects.filter(pk=loop.pk).update(
            state=IngestState.QUEUED, attempt=0, error="", ended_by="", finished_at=None,
            most_tokens=ended.most_tokens, most_cost=ended.most_cost,
            most_turns=most_turns or ended.most_turns, created_by=actor.user,
            patience=None if ended.ended_by == LoopEnd.NO_GAIN else ended.patience,
        )  # fmt: skip
        ask_for_the_rest(ended, actor, in_background)
        audit.record(actor, "loop.again", loop.first, name=loop.first.name)
        if in_background:
            wake_loop_of(ended.current_id)
    loop.refresh_from_db()


def ask_for_the_rest(loop: Loop, actor: Actor, in_background: bool) -> None:
    """Continue the turn that ended before every candidate was answered, within what is left of the loop's budget."""
    turn = loop.current
    left = (CandidateState.WAITING, CandidateState.FAILED)
    if not turn.is_finished or (turn.state == IngestState.DONE and not turn.stopped):
        return
    if not turn.candidates.filter(state__in=left).exists():  # it was ended after its last answer
        Synthesis.objects.filter(pk=turn.pk).update(state=IngestState.DONE, error="", stopped="")
        have_verified(turn)
        return
    used, own = used_by(loop), Used(turn.candidates.tokens(), turn.candidates.cost())
    tokens, cost = loop.most_tokens, loop.most_cost
    go_on(
        turn,
        actor,
        most_tokens=None if tokens is None else max(1, tokens - used.tokens + own.tokens),
        most_cost=None if cost is None else max(LEAST_COST, cost - (used.cost or 0.0) + (own.cost or 0.0)),
        in_background=in_background,
    )
