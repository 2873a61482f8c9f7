"""Tests of counters in further turns: asked for with the verifications, told to the coder and its judge."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Loop, Synthesis, Verification, VerificationReport
from datasets_app.synthesize.feedback import feedback_of
from datasets_app.synthesize.loops import LoopPlan, start_loop
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.run import run_synthesis
from tests.api.clients import token_for
from tests.factories import make_user
from tests.synthesize.model_server import block, streams
from tests.synthesize.turns import by_turn, decide, take_through, turns_of
from tests.verify import reports

pytestmark = pytest.mark.django_db
COUNTED = "- memory throughput, of peak: 84.9 % (dram__throughput.avg.pct_of_peak_sustained_elapsed)"
INSPECTION = reports.full("x")["inspection"]


def inspected(synthesis, inspection=INSPECTION, speedup=0.8):
    """Decide a turn, each run with a recorded report that has these counters."""
    decide(synthesis, lambda sample: speedup)
    for run in Verification.objects.filter(sample__candidates__synthesis=synthesis, report=None):
        VerificationReport.objects.create(verification=run, report={"inspection": inspection})


def asked_runs():
    return set(Verification.objects.values_list("inspect", flat=True))


def test_the_counters_of_a_turn_reach_the_judge_and_the_coder(looped, server):
    server.usual = lambda handler, request: streams(
        "Coalesce." if request["model"] == "judge-1" else block(request["seed"])
    )(handler, request)
    first = {"verify": "quick", "inspect": True}
    loop = looped(
        tasks=1, first=first, most_turns=2, inspect=True, judge_endpoint="local", judge_model="judge-1"
    )
    inspected(loop.first)
    take_through(loop, by_turn(0.8))
    assert asked_runs() == {True}, "those of both turns"
    assert turns_of(loop)[1].inspect
    _, judged, coded = server.requests
    for messages in (judged["messages"][1], coded["messages"][3]):
        assert "0.80 times as fast, no faster than eager" in messages["content"]
        assert COUNTED in messages["content"]
        assert (
            "- registers per thread: 40 register/thread (launch__registers_per_thread)" in messages["content"]
        )


def test_a_run_that_collected_no_counters_tells_of_none(ended):
    synthesis = ended(tasks=1)
    inspected(synthesis, {**INSPECTION, "metrics": {}, "missing": {"metrics": "ncu was not found"}})
    run = Verification.objects.select_related("report").get()
    assert (run.inspect, "profiler" in feedback_of(run, run.report.report)) == (False, False)


def test_what_limits_the_occupancy_is_told_with_the_counters(ended):
    limited = {"launch__occupancy_limit_registers": {"value": 4.0, "unit": "block"}}
    inspected(ended(tasks=1), {**INSPECTION, "metrics": limited})
    run = Verification.objects.select_related("report").get()
    told = feedback_of(run, run.report.report)
    assert told.endswith("- At most 4 blocks run on a multiprocessor at once, limited by registers.")


def test_a_first_turn_that_nobody_had_verified_is_verified_with_counters_for_the_loop(ended):
    synthesis = ended(tasks=1, verify="")
    start_loop(LoopPlan(inspect=True), synthesis, COMMAND, in_background=False)
    assert asked_runs() == {True}


def test_a_turn_by_hand_collects_them_too(ended):
    first = ended(tasks=1, verify="quick", inspect=True)
    inspected(first)
    Verification.objects.update(inspect=False)
    second = refine(Refinement("second", inspect=True), first, COMMAND, in_background=False)
    run_synthesis(second.pk)
    assert COUNTED in second.candidates.get().feedback
    assert Verification.objects.filter(sample__source__name="second").get().inspect


def test_pages_programs_and_commands_ask_for_them(ended, client, server):
    synthesis = ended(tasks=1)
    person = make_user("curator")
    headers = {"Authorization": f"Bearer {token_for(person, 'read', 'curate')}"}
    loop = reverse("api-synthesis-loop", args=[synthesis.pk])
    assert client.post(loop, {"inspect": True}, headers=headers, content_type="application/json").json()[
        "inspect"
    ]
    Loop.objects.all().delete()
    client.force_login(person)
    page = client.get(synthesis.get_absolute_url()).content.decode()
    assert page.count("Collect SASS and profiler counters") == 2, "of turns by themselves and of one by hand"
    form = {
        "loop-policy": "serial", "loop-most_turns": "2", "loop-until": "1.5", "loop-verify_profile": "quick",
        "loop-inspect": "on", "loop-islands": "1", "loop-migrate_every": "3",
    }  # fmt: skip
    client.post(reverse("synthesis-loop", args=[synthesis.pk]), form)
    assert Loop.objects.get().inspect
    assert "the profiler’s counters" in client.get(synthesis.get_absolute_url()).content.decode()
    ordered = ("--endpoint", "local", "--model", "m", "--inspect")
    call_command("synthesize", "start", "by command", *ordered)
    made = Synthesis.objects.get(name="by command")
    assert made.inspect
    assert (
        "under quick with SASS and profiler counters" in client.get(made.get_absolute_url()).content.decode()
    )
