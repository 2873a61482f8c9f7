"""Tests of a chain of turns as one run: its metrics by turn, best of N beside it, page, REST and commands."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis.runs.judged import judge_run
from datasets_app.analysis.runs.report import report_on
from datasets_app.analysis.runs.turns import best_of_n, by_turn
from datasets_app.management.commands import turns as command
from datasets_app.models import EvaluationRun, Loop, Synthesis
from datasets_app.synthesize.loops import LoopPlan, start_loop
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.run import run_synthesis
from tests.api.clients import token_for
from tests.factories import make_user
from tests.synthesize.model_server import streams
from tests.synthesize.turns import decide, take_through

pytestmark = pytest.mark.django_db


@pytest.fixture
def chain(ended):
    """Two tasks in three turns: both wrong; 0.8 and 1.5 times as fast; the slow one again, which times out."""
    synthesis = ended(tasks=2)
    loop = start_loop(LoopPlan(until=1.2, most_turns=3), synthesis, COMMAND, in_background=False)
    second = [0.8, 1.5]

    def verdict(sample):
        return {0: "wrong_value", 2: "timeout"}.get(sample.turn) or second.pop()

    return take_through(loop, verdict)


def test_a_candidate_counts_with_the_best_of_its_turns(chain):
    judged = judge_run(EvaluationRun.objects.select_related("task_set").get())
    assert (judged.per_task, judged.turns) == (1, 3)
    seen = [(one.number, one.answers, one.tokens, one.right, one.faster, one.best) for one in by_turn(judged)]
    assert seen == [
        (0, 1.0, 36, 0.0, 0.0, 0.0),
        (1, 2.0, 72, 1.0, 0.5, pytest.approx(1.15)),
        (2, 2.5, 90, 1.0, 0.5, pytest.approx(1.15)),
    ]
    assert judged.evaluation().outcomes == {"passed": 2}
    assert judged.evaluation(0).outcomes == {"wrong_value": 2}
    assert [(one.n, one.right) for one in best_of_n(judged)] == [(1, 0.0)]


def test_best_of_n_and_turns_are_one_plot_over_the_same_tasks(chain, server):
    run = EvaluationRun.objects.get()
    figure = report_on(run).figure("best-of-n")
    assert [row[:4] for row in figure.rows] == [
        ("first", "best of N", 1.0, 0.0),
        ("first", "turns", 1.0, 0.0),
        ("first", "turns", 2.0, 1.0),
        ("first", "turns", 2.5, 1.0),
    ]
    assert [trace["name"] for trace in figure.plot["data"]] == ["first, best of N", "first, turns"]
    turns = report_on(run).figure("turns")
    assert turns.rows[1] == (1, 2.0, 72, 1.0, 0.5, 1.15, 72)


def test_turns_by_hand_are_of_the_same_run_and_an_answer_without_a_kernel_counts_as_wrong(ended, server):
    first = ended(tasks=2)
    decide(first, lambda sample: "wrong_value")
    server.usual = streams("No code.")
    second = refine(Refinement("by hand"), first, COMMAND, in_background=False)
    run_synthesis(second.pk)
    assert second.run == first.run
    judged = judge_run(EvaluationRun.objects.get())
    assert [one.tokens for one in by_turn(judged)] == [36, 72]
    assert judged.evaluation().outcomes == {"wrong_value": 2}


def test_a_synthesis_that_is_under_way_has_missing_candidates(begun):
    begun(tasks=2, per_task=3)
    assert report_on(EvaluationRun.objects.get()).outcomes == {"missing": 6}


def test_its_page_shows_the_turns_and_links_to_their_run(chain, client):
    client.force_login(make_user("curator"))
    run = EvaluationRun.objects.get()
    page = client.get(run.get_absolute_url()).content.decode()
    for words in (
        "Efficiency by turns",
        "first, turn 2",
        "serial turns",
        "each with the best of its 3 turns",
    ):
        assert words in page, words
    shown = client.get(chain.first.get_absolute_url()).content.decode()
    assert run.get_absolute_url() in shown
    assert "it had all its turns" in shown
    assert "Continue the turns" in shown
    newest = client.get(chain.current.get_absolute_url()).content.decode()
    assert "First turn" in newest


def test_a_curator_starts_cancels_and_continues_the_turns_on_the_page(ended, client):
    synthesis = ended(tasks=1)
    client.force_login(make_user("annotator"))
    start = reverse("synthesis-loop", args=[synthesis.pk])
    assert client.post(start, {}).status_code == 403
    client.force_login(make_user("curator"))
    assert "Start the turns" in client.get(synthesis.get_absolute_url()).content.decode()
    form = {
        "loop-policy": "serial", "loop-most_turns": "3", "loop-until": "1.5", "loop-verify_profile": "quick",
        "loop-told_turns": "2", "loop-islands": "1", "loop-migrate_every": "3",
    }  # fmt: skip
    faulty = client.post(start, {**form, "loop-judge_endpoint": "local"})
    assert faulty.status_code == 400
    assert "Name the judge" in faulty.content.decode()
    assert client.post(start, form)["Location"] == synthesis.get_absolute_url()
    loop = Loop.objects.get()
    assert (loop.told_turns, loop.until, loop.state) == (2, 1.5, "queued")
    page = client.get(synthesis.get_absolute_url()).content.decode()
    assert "turn 0 of at most 2" in page
    assert "One turn by hand" not in page
    client.post(reverse("loop-cancel", args=[loop.pk]))
    assert Loop.objects.get().state == "cancelled"
    client.post(reverse("loop-continue", args=[loop.pk]), {"most_turns": "5"})
    assert (Loop.objects.get().state, Loop.objects.get().most_turns) == ("queued", 5)
    again = client.post(reverse("loop-continue", args=[loop.pk]), {"most_turns": "many"}, follow=True)
    assert "in digits" in again.content.decode()


def test_programs_start_follow_cancel_and_continue_the_turns(ended, client):
    synthesis = ended(tasks=1)
    headers = {"Authorization": f"Bearer {token_for(make_user('curator'), 'read', 'curate')}"}

    def post(name, pk, **body):
        return client.post(reverse(name, args=[pk]), body, content_type="application/json", headers=headers)

    made = post("api-synthesis-loop", synthesis.pk, policy="evolution", islands=2, most_turns=3)
    loop = made.json()
    assert (made.status_code, loop["islands"], loop["run"]) == (202, 2, str(synthesis.run_id))
    assert client.get(made["Location"], headers=headers).json()["state"] == "queued"
    assert post("api-synthesis-loop", synthesis.pk).status_code == 400
    assert post("api-loop-continue", loop["id"]).status_code == 409
    assert post("api-loop-cancel", loop["id"]).json()["state"] == "cancelled"
    assert post("api-loop-cancel", loop["id"]).status_code == 409
    assert post("api-loop-continue", loop["id"], most_turns=4).json()["most_turns"] == 4
    listed = client.get(reverse("api-loops"), headers=headers).json()["results"]
    assert [one["first"] for one in listed] == [str(synthesis.pk)]


def test_the_command_runs_the_turns_to_their_end(ended, monkeypatch, capsys):
    ended(tasks=1)
    called = []

    def verify(name, query, **_):
        called.append(query)
        decide(Synthesis.objects.order_by("-turn").first(), lambda sample: 0.5 + sample.turn)

    monkeypatch.setattr(command, "call_command", verify)
    call_command("turns", "start", "first", "--until", "1.4", "--most-turns", "5", "--wait")
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (said["ended_by"], said["turns"], said["tokens"]) == ("good_enough", 2, 36)
    assert called == ["outcome:none source:first", 'outcome:none source:"first, turn 1"']
    call_command("turns", "list")
    assert "first: serial, turn 1, done" in capsys.readouterr().out
    with pytest.raises(CommandError, match="have ended already"):
        call_command("turns", "cancel", "first")
