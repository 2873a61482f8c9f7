"""Tests of the judge beside the coder: it reads the evidence, its advice is told, kept and counted."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Synthesis
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import run_loop
from datasets_app.synthesize.verbs import go_on
from tests.synthesize.model_server import block, status, streams
from tests.synthesize.turns import by_turn, decide, take_through, turns_of

pytestmark = pytest.mark.django_db


def judge_of(request):
    return "You review GPU kernels" in request["messages"][0]["content"]


def test_a_judge_reads_the_evidence_and_its_advice_is_told(looped, server):
    def answers(handler, request):
        text = "Coalesce the loads." if judge_of(request) else block(request["seed"])
        streams(text, "Thinking.", cost=0.5 if judge_of(request) else 0.25)(handler, request)

    server.usual = answers
    loop = looped(tasks=1, most_turns=2, judge_endpoint="local", judge_model="judge-1")
    take_through(loop, by_turn("wrong_value"))
    second = turns_of(loop)[1]
    candidate = second.candidates.select_related("sample__body").get()
    assert (second.judge_template, candidate.advice) == ("judge 1", "Coalesce the loads.")
    assert (candidate.judge_prompt_tokens, candidate.judge_answer_tokens) == (7, 11)
    assert second.candidates.tokens() == 36, "the judge's tokens are counted in the budget"
    _, judged, last = server.requests
    assert (judged["model"], last["model"]) == ("judge-1", "maker/model-7b")
    assert "Wrong value on" in judged["messages"][1]["content"]
    assert "temperature" not in judged
    assert candidate.cost == 0.75, "that of both answers"
    assert "advises:\n\nCoalesce the loads." in last["messages"][3]["content"]
    assert "Coalesce the loads." in candidate.sample.body.feedback
    assert candidate.sample.body.extra["judge"] == "judge-1"


def test_advice_that_was_paid_for_is_kept_and_used_when_the_coder_answers_later(looped, server):
    def answers(handler, request):
        (streams("Use shared memory.") if judge_of(request) else coder)(handler, request)

    coder = server.usual
    server.usual = answers
    loop = looped(tasks=1, most_turns=2, judge_endpoint="local", judge_model="judge-1")
    decide(loop.first, by_turn("wrong_value"))
    run_loop(loop.pk, in_background=False)
    coder = status(400)
    loop.refresh_from_db()
    run_synthesis(loop.current_id)
    candidate = Synthesis.objects.get(pk=loop.current_id).candidates.get()
    assert (candidate.state, candidate.reason, candidate.advice) == (
        "failed",
        "request_refused",
        "Use shared memory.",
    )
    coder = streams(block(7))
    continued = Synthesis.objects.get(pk=loop.current_id)
    turns_before = len(server.requests)
    go_on(continued, COMMAND, in_background=False)
    run_synthesis(continued.pk)
    assert [judge_of(request) for request in server.requests[turns_before:]] == [False]
    assert continued.candidates.tally()["stored"] == 1


def test_advice_is_kept_and_counted_where_the_coders_key_is_wrong(looped, server):
    loop = looped(tasks=1, most_turns=2, judge_endpoint="local", judge_model="judge-1")
    decide(loop.first, by_turn("wrong_value"))
    run_loop(loop.pk, in_background=False)
    server.usual = lambda handler, request: (
        streams("Use shared memory.") if judge_of(request) else status(401)
    )(handler, request)
    loop.refresh_from_db()
    run_synthesis(loop.current_id)
    turn = Synthesis.objects.get(pk=loop.current_id)
    candidate = turn.candidates.get()
    assert (turn.state, "answered 401" in turn.error) == ("failed", True)
    assert (candidate.state, candidate.advice) == ("waiting", "Use shared memory.")
    assert turn.candidates.tokens() == 18


def test_a_judge_that_is_silent_is_named(looped, server):
    server.usual = lambda handler, request: (
        streams("", "Only thoughts.") if judge_of(request) else streams(block(request["seed"]))
    )(handler, request)
    loop = looped(tasks=1, most_turns=2, judge_endpoint="local", judge_model="judge-1")
    take_through(loop, by_turn("wrong_value"))
    assert turns_of(loop)[1].candidates.get().reason == "judge_empty"
