"""A chain of turns of the filled site: four tasks of two levels, three turns under a loop with a judge, and its run."""

from datasets_app.analysis.runs.record import run_of_synthesis
from datasets_app.models import Candidate, Loop, Source, Synthesis, Task
from datasets_app.synthesize.templates import judging, refinement
from tests.browser.states.asking import add
from tests.factories import make_sample
from tests.verifications import H200, timed, verified

SPEEDS = [
    (0.7, 1.3, 1.9),
    (None, 0.8, 1.2),
    (None, None, 0.9),
    (1.6, None, None),
]  # by task and turn; None: wrong
TRACE_TOKENS = (900, 4_300, 8_700, 12_100)


def take_turns() -> dict[str, str]:
    """Return the addresses of the newest turn's page and of the run."""
    tasks = list(Task.objects.order_by("name", "pk")[:4])
    Task.objects.filter(pk__in=[task.pk for task in tasks[:2]]).update(suite="Turns", level=1)
    Task.objects.filter(pk__in=[task.pk for task in tasks[2:]]).update(suite="Turns", level=2)
    first = add("kevin-32b in turns", tasks, state="done", verify_profile="quick")
    run = first.run = run_of_synthesis(first)
    loop = Loop.objects.create(
        first=first, current=first, policy="serial", most_turns=6, until=1.5, patience=2, most_tokens=400_000,
        told_turns=3, verify_profile="quick", judge_endpoint="hosted", judge_model="a-judge-70b",
    )  # fmt: skip
    turns = [first, *(further(first, number, loop) for number in (1, 2))]
    parents: dict[object, object] = {}
    for number, turn in enumerate(turns):
        Synthesis.objects.filter(pk=turn.pk).update(loop=loop, run=run)
        for at, task in enumerate(tasks):
            if at != 3 or number == 0:
                parents[task.pk] = answer(
                    turn, task, SPEEDS[at][number], TRACE_TOKENS[at], parents.get(task.pk)
                )
    Loop.objects.filter(pk=loop.pk).update(current=turns[-1], state="done", ended_by="no_gain")
    return {"turn": turns[-1].get_absolute_url(), "run": run.get_absolute_url()}


def further(first: Synthesis, number: int, loop: Loop) -> Synthesis:
    name = f"{first.name}, turn {number}"
    source, _ = Source.objects.get_or_create(name=name)
    judge = judging()
    return Synthesis.objects.create(
        name=name, endpoint=first.endpoint, model=first.model, template=refinement().label,
        messages=refinement().messages, sampling=first.sampling, per_task=2, seed=7, at_once=8, source=source,
        state="done", turn=number, refines=first, verify_profile="quick", judge_endpoint="hosted",
        judge_model="a-judge-70b", judge_template=judge.label, judge_messages=judge.messages,
    )  # fmt: skip


def answer(turn: Synthesis, task: Task, speedup: float | None, tokens: int, parent: object) -> object:
    sample = make_sample(
        task, source=turn.source, generator=turn.model, parent=parent, turn=turn.turn, trace_tokens=tokens,
        has_trace=True,
    )  # fmt: skip
    if speedup is None:
        verified(sample, "wrong_value", H200, profile="quick")
    else:
        timed(sample, speedup, H200, profile="quick")
    told = {"state": "stored", "sample": sample, "prompt_tokens": 900, "answer_tokens": tokens, "tries": 1}
    if turn.turn:
        told |= {"judge_prompt_tokens": 1_200, "judge_answer_tokens": 300, "advice": "Coalesce the loads."}
    Candidate.objects.update_or_create(
        synthesis=turn, task=task, number=0, defaults={**told, "parent": parent, "trajectory": 0}
    )
    return sample
