"""Tests of turns that start by themselves: policies, rules that end them, a kill, going on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND, account
from datasets_app.jobs import job_row
from datasets_app.models import AuditEntry, Loop, Sample, Synthesis, Verification
from datasets_app.processes.kinds import KINDS
from datasets_app.synthesize import turns, waking
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import LoopPlan, cancel_loop, continue_loop, start_loop
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import run_loop
from datasets_app.synthesize.verbs import cancel
from eval_app.results.record import record_report
from tests.factories import make_user
from tests.synthesize.model_server import status, streams
from tests.synthesize.turns import by_turn, decide, take_through, take_turn, turns_of
from tests.verify import reports

pytestmark = pytest.mark.django_db


def test_serial_turns_follow_each_other_until_all_are_fast_enough(looped, server):
    loop = take_through(looped(until=1.2, most_turns=9), by_turn("wrong_value", 0.8, 1.5))
    assert (loop.state, loop.ended_by, loop.error) == ("done", "good_enough", "")
    first, second, third = turns_of(loop)
    assert [one.name for one in (second, third)] == ["first, turn 1", "first, turn 2"]
    assert (second.refines, third.refines, third.turn, third.run) == (first, second, 2, first.run)
    last = third.candidates.select_related("sample__parent__parent", "sample__body").first()
    assert (last.sample.turn, last.sample.parent.turn, last.sample.parent.parent.turn) == (2, 1, 0)
    assert "0.80 times as fast" in last.sample.body.feedback
    assert {one.trajectory for one in third.candidates.all()} == {0}
    assert Verification.objects.count() == Sample.objects.count() == 6


def test_passing_without_a_confirmed_time_is_enough_where_no_speed_is_asked_for(looped):
    loop = take_through(looped(until=0, most_turns=9), by_turn("wrong_value", "passed"))
    assert (loop.ended_by, len(turns_of(loop))) == ("good_enough", 2)


def test_a_trajectory_that_is_good_enough_is_left_and_the_others_go_on(looped):
    loop = looped(tasks=3, most_turns=3)
    lucky = loop.first.candidates.first().sample_id
    take_through(loop, lambda sample: 2.0 if sample.pk == lucky else "timeout")
    loop.refresh_from_db()
    assert loop.ended_by == "turns"
    assert [one.candidates.count() for one in turns_of(loop)] == [3, 2, 2]


def test_no_gain_in_so_many_turns_ends_it(looped):
    loop = take_through(looped(until=3.0, most_turns=9, patience=2), by_turn(0.5, 0.9, 0.9, 0.9))
    assert (loop.ended_by, len(turns_of(loop))) == ("no_gain", 4)
    continue_loop(loop, COMMAND, most_turns=6, in_background=False)
    take_through(loop, by_turn(0.9))
    assert (loop.ended_by, len(turns_of(loop))) == ("turns", 6)


def test_the_budget_holds_for_all_turns_together(looped):
    loop = take_through(looped(most_turns=9, most_tokens=80), by_turn("wrong_value"))
    assert loop.ended_by == "budget"
    _, second, third = turns_of(loop)
    assert (second.most_tokens, third.most_tokens) == (80 - 36, 80 - 72)
    assert turns.used_by(loop).tokens >= 80


def test_best_of_n_tells_nothing_and_asks_with_other_seeds(looped, server):
    loop = take_through(looped(tasks=1, policy="best_of_n", most_turns=3), by_turn("wrong_value"))
    assert (loop.ended_by, [one.template for one in turns_of(loop)]) == ("turns", ["zero-shot 1"] * 3)
    assert [request["seed"] for request in server.requests] == [100, 101, 102]
    assert {len(request["messages"]) for request in server.requests} == {2}
    assert Sample.objects.filter(parent__isnull=False).count() == 0


def test_an_answer_without_a_kernel_is_asked_for_again(looped, server):
    server.answers = [streams("No code at all.")]
    loop = looped(tasks=1, most_turns=4)
    take_turn(loop, by_turn("wrong_value"))
    second = turns_of(loop)[1]
    server.answers = [server.usual, streams("Nor here.")]
    again = second.candidates.get()
    assert (again.parent, again.feedback) == (None, "")
    take_through(loop, by_turn("wrong_value"))
    fourth = turns_of(loop)[3].candidates.get()
    assert fourth.parent == second.candidates.get().sample
    assert "The answer after that could not be used: it has no code block" in fourth.feedback
    assert [len(request["messages"]) for request in server.requests] == [2, 2, 4, 4]


def test_all_earlier_turns_are_told_where_that_is_asked_for(looped, server):
    take_through(looped(tasks=1, most_turns=4, told_turns=2), by_turn("wrong_value"))
    assert [len(request["messages"]) for request in server.requests] == [2, 4, 6, 6]
    told = [message["content"] for message in server.requests[-1]["messages"]]
    kernels = [sample.body.kernel_code.strip() for sample in Sample.objects.order_by("turn")[:3]]
    assert kernels[0] not in told[2]
    assert kernels[1] in told[2]
    assert kernels[2] in told[4]


def test_evolution_answers_the_best_of_an_island_and_ends_with_one_good_kernel(looped):
    loop = looped(
        tasks=1,
        first={"per_task": 4},
        policy="evolution",
        islands=2,
        migrate_every=2,
        most_turns=9,
        until=3.0,
    )
    samples = [one.sample for one in loop.first.candidates.select_related("sample").order_by("number")]
    speeds = {one.pk: speed for one, speed in zip(samples, (0.5, "wrong_value", 1.5, 0.9), strict=True)}
    take_turn(loop, lambda sample: speeds.get(sample.pk, "timeout"))
    parents = [one.parent_id for one in turns_of(loop)[1].candidates.order_by("number")]
    assert parents == [samples[2].pk, samples[3].pk, samples[0].pk, samples[1].pk]
    run_synthesis(loop.current_id)
    take_turn(loop, lambda sample: "timeout")
    migrated = [one.parent_id for one in turns_of(loop)[2].candidates.order_by("number")]
    assert migrated[:2] == [samples[3].pk, samples[2].pk], "in every second turn the islands change parents"
    take_through(loop, lambda sample: 3.5 if sample.candidates.get().number == 3 else "timeout")
    loop.refresh_from_db()
    assert loop.ended_by == "good_enough"


def test_crossover_tells_a_second_kernel_of_the_island_that_passed(looped, server):
    loop = looped(tasks=1, first={"per_task": 4}, policy="crossover", islands=2, most_turns=9, until=3.0)
    samples = [one.sample for one in loop.first.candidates.select_related("sample__body").order_by("number")]
    speeds = dict(zip([one.pk for one in samples], (1.25, "wrong_value", 0.5, "timeout"), strict=True))
    take_turn(loop, lambda sample: speeds.get(sample.pk, "timeout"))
    made = list(loop.current.candidates.order_by("number"))
    assert [one.parent_id for one in made] == [samples[at].pk for at in (0, 1, 2, 3)]
    slow, fast = (samples[at].body.kernel_code.strip() for at in (2, 0))
    assert (
        f"Another kernel for this program passed and is 0.50 times as fast as eager:\n\n```python\n{slow}"
        in (made[0].feedback)
    )
    assert f"passed and is 1.25 times as fast as eager:\n\n```python\n{fast}" in made[2].feedback
    assert all("Another kernel" not in made[at].feedback for at in (1, 3)), "none of that island passed"
    server.requests.clear()
    run_synthesis(loop.current_id)
    told = [request["messages"][-1]["content"] for request in server.requests]
    assert sum("Combine what is good in the two kernels" in text for text in told) == 2


def test_it_waits_for_the_turn_and_for_every_verification(looped):
    loop = looped(tasks=2)
    run_loop(loop.pk)
    loop.refresh_from_db()
    assert (loop.state, loop.current, loop.attempt) == ("queued", loop.first, 0)
    samples = list(Sample.objects.all())
    Verification.objects.filter(sample=samples[0]).update(state="failed", finished_at=loop.created_at)
    assert job_row.claim(Loop, loop.pk) is None, "one is still queued"


def test_the_last_report_wakes_it_and_no_other(looped, monkeypatch):
    sent = []
    monkeypatch.setattr(waking, "enqueue", lambda task, pk: sent.append((task, pk)))
    loop, rows = looped(tasks=2), list(Verification.objects.all())
    rows[0].delete()
    waking.wake_loops_after(rows[0].sample_id)
    assert sent == []
    rows[1].delete()
    waking.wake_loops_after(rows[1].sample_id)
    assert sent == [("synthesize.loop", loop.pk)]


def test_the_report_of_a_worker_wakes_it_and_the_sweeper_finds_it_if_the_message_is_lost(looped, monkeypatch):
    sent = []
    monkeypatch.setattr(waking, "enqueue", lambda task, pk: sent.append(pk))
    loop, later = looped(tasks=2), timezone.now() + timedelta(minutes=1)
    first, second = Verification.objects.order_by("pk")
    record_report(first.pk, first.attempt, reports.wrong(first.sample_id))
    assert (sent, job_row.waiting_since(Loop, later)) == ([], [])
    record_report(second.pk, second.attempt, reports.wrong(second.sample_id))
    assert (sent, job_row.waiting_since(Loop, later)) == ([loop.pk], [loop.pk])
    assert Loop in job_row.RESENDERS
    monkeypatch.undo()
    KINDS["loop"].run(str(loop.pk))
    assert [one.state for one in turns_of(loop)] == ["done", "queued"]
    assert job_row.waiting_since(Loop, later) == [], "it waits for its turn"


def test_a_worker_that_dies_between_turns_leaves_one_turn_and_not_two(looped, monkeypatch):
    loop = looped(tasks=1)
    decide(loop.first, by_turn("wrong_value"))

    def dies(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(turns.job_row, "postpone", dies)
        with pytest.raises(KeyboardInterrupt):
            run_loop(loop.pk, in_background=False)
    assert len(turns_of(loop)) == 1
    Loop.objects.update(state="queued", lease_until=None)
    run_loop(loop.pk, in_background=False)
    run_loop(loop.pk, in_background=False)
    assert len(turns_of(loop)) == 2, "a second message finds nothing to do"


def test_nothing_that_could_be_judged_ends_it(looped):
    loop = looped(tasks=1)
    Verification.objects.update(state="failed", finished_at=loop.created_at)
    run_loop(loop.pk)
    loop.refresh_from_db()
    assert (loop.state, loop.ended_by) == ("done", "nothing_to_ask")


def test_cancelling_ends_the_loop_and_its_turn_and_it_goes_on_later(looped):
    loop = looped(tasks=1, most_turns=2)
    take_turn(loop, by_turn("wrong_value"))
    loop.refresh_from_db()
    cancel_loop(loop, COMMAND)
    assert (loop.state, Synthesis.objects.get(pk=loop.current_id).state) == ("cancelled", "cancelled")
    with pytest.raises(SynthesisError, match="have ended already"):
        cancel_loop(loop, COMMAND)
    continue_loop(loop, COMMAND, most_turns=3, in_background=False)
    take_through(loop, by_turn("wrong_value"))
    assert (len(turns_of(loop)), Loop.objects.get().ended_by) == (3, "turns")
    assert AuditEntry.objects.filter(action__startswith="loop.").count() == 3


def test_cancelling_a_turn_ends_its_loop(looped):
    loop = looped(tasks=1)
    take_turn(loop, by_turn("wrong_value"))
    loop.refresh_from_db()
    cancel(Synthesis.objects.get(pk=loop.current_id), COMMAND)
    loop.refresh_from_db()
    assert loop.state == "cancelled"


def test_an_endpoint_that_is_away_fails_the_loop_with_its_reason_and_it_goes_on_later(looped, server):
    loop = looped(tasks=1, most_turns=2)
    server.usual, usual = status(403), server.usual
    take_through(loop, by_turn("wrong_value"))
    loop.refresh_from_db()
    assert loop.state == "failed"
    assert "Turn 1 did not end well: the endpoint answered 403" in loop.error
    server.usual = usual
    continue_loop(loop, COMMAND, in_background=False)
    assert take_through(loop, by_turn("wrong_value")).ended_by == "turns"


def test_a_loop_starts_once_from_a_first_turn_and_only_with_what_can_be_done(looped, ended, server):
    loop = looped(tasks=1)
    first = loop.first
    for plan, why in (
        ({"policy": "luck"}, "No policy is called 'luck'"),
        ({"most_turns": 1}, "number of turns is 1"),
        ({"until": -1}, "good enough is -1"),
        ({"patience": 0}, "without a gain is 0"),
        ({"told_turns": 99}, "told is 99"),
        ({"verify_profile": ""}, "Choose a profile"),
        ({"judge_endpoint": "nowhere", "judge_model": "m"}, "No endpoint is called 'nowhere'"),
        ({"judge_endpoint": "local"}, "Name the judge's model"),
        ({"judge_endpoint": "local", "judge_model": "m", "policy": "best_of_n"}, "nothing for a judge"),
        ({"islands": 0}, "number of islands is 0"),
        ({}, "start by themselves already"),
    ):
        with pytest.raises(SynthesisError, match=why):
            start_loop(LoopPlan(**plan), first, COMMAND)
    with pytest.raises(SynthesisError, match="cancel them first"):
        refine(Refinement("by hand"), first, COMMAND)


def test_samples_that_nobody_asked_to_verify_are_verified_for_the_loop(ended):
    synthesis = ended(tasks=2, verify="")
    assert not Verification.objects.exists()
    start_loop(LoopPlan(verify_profile="standard"), synthesis, COMMAND, in_background=False)
    assert set(Verification.objects.values_list("profile", "state")) == {("standard", "queued")}


def test_whoever_may_not_curate_any_longer_starts_no_further_turn(ended):
    synthesis, person = ended(tasks=1), make_user("curator")
    loop = start_loop(LoopPlan(), synthesis, account(person), in_background=False)
    decide(synthesis, by_turn("wrong_value"))
    person.groups.clear()
    run_loop(loop.pk)
    loop.refresh_from_db()
    assert (loop.state, "may not start turns any longer" in loop.error) == ("failed", True)
