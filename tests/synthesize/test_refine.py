"""Tests of a further turn: what failed or is too slow is answered again, with what its verification found."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.evidence import devices
from datasets_app.models import AuditEntry, Sample, Synthesis, VerificationReport
from datasets_app.synthesize import refine as refining
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.feedback import errors_of, feedback_of
from datasets_app.synthesize.refine import Refinement, refine
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.templates import Told, for_program, refinement
from tests.api.clients import token_for
from tests.factories import make_sample, make_user
from tests.verifications import EPYC, H200, timed, verified

pytestmark = pytest.mark.django_db
LOG = '== cuda.cu: 3.1 s\nx.cu(7): warning: unused\nx.cu(9): error: identifier "warp" is undefined\n1 error'


@pytest.fixture
def judged(ended):
    """Return a synthesis of four tasks: a build error, a wrong value, one that is slow, one that is fast."""
    synthesis = ended(tasks=4, sampling={"temperature": 0.6}, verify="")
    samples = [one.sample for one in synthesis.candidates.select_related("sample").order_by("pk")]
    broken = verified(samples[0], "build_error", detail="nvcc failed.")
    VerificationReport.objects.create(verification=broken, report={"build": {"log": LOG}})
    verified(samples[1], "wrong_value", detail="3 of 8 elements differ; at output[0] 1.0, not 2.0")
    timed(samples[2], 0.8, median_ms=0.5, eager_median_ms=0.4)
    timed(samples[3], 1.7, median_ms=0.1, eager_median_ms=0.17)
    return synthesis, samples


def finished(synthesis):
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    return synthesis


def test_what_is_not_good_enough_is_answered_again_with_its_feedback(judged, server):
    first, samples = judged
    server.requests.clear()
    second = finished(refine(Refinement("second", verify=""), first, COMMAND, in_background=False))
    assert (second.state, second.refines, second.template) == ("done", first, "refine 1")
    assert (second.model, second.sampling) == (first.model, {"temperature": 0.6})
    parents = {one.parent_id: one for one in second.candidates.select_related("sample__body")}
    assert set(parents) == {sample.pk for sample in samples[:3]}
    child = parents[samples[0].pk].sample
    assert (child.parent_id, child.turn, child.task_id) == (samples[0].pk, 1, samples[0].task_id)
    assert 'identifier "warp" is undefined' in child.body.feedback
    assert "parent" not in child.body.extra
    asked = {request["messages"][3]["content"]: request["messages"] for request in server.requests}
    assert len(asked) == 3
    told = next(messages for text, messages in asked.items() if "3 of 8 elements differ" in text)
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert samples[1].body.kernel_code.strip() in told[2]["content"]


def test_a_third_turn_follows_the_second(judged):
    first, _ = judged
    second = finished(refine(Refinement("second", verify=""), first, COMMAND, in_background=False))
    for one in second.candidates.all():
        verified(one.sample, "timeout")
    third = finished(
        refine(Refinement("third", per_parent=2, verify=""), second, COMMAND, in_background=False)
    )
    assert third.candidates.tally()["stored"] == 6
    assert set(Sample.objects.filter(candidates__synthesis=third).values_list("turn", flat=True)) == {2}
    seeds = third.candidates.order_by("pk").values_list("number", flat=True)
    assert list(seeds) == [0, 0, 0, 1, 1, 1], "each sample's first answer is asked for before any second"


def test_the_first_one_that_is_good_enough_is_a_choice(judged):
    first, samples = judged
    easy = refine(Refinement("easy", until=0.5), first, COMMAND, in_background=False)
    assert easy.candidates.count() == 2
    hard = refine(Refinement("hard", until=2.0), first, COMMAND, in_background=False)
    assert hard.candidates.count() == 4
    feedback = hard.candidates.get(parent=samples[3]).feedback
    assert "0.1 ms" in feedback
    assert "1.70 times as fast, faster than eager" in feedback


def test_without_a_verdict_on_the_reference_device_the_device_with_most_of_them_counts(ended, client):
    timed(make_sample(), 2.0)
    synthesis = ended(tasks=2, verify="")
    for one in synthesis.candidates.all():
        verified(one.sample, "wrong_value", EPYC)
    assert devices.reference_device() == H200
    assert refine(Refinement("second"), synthesis, COMMAND, in_background=False).candidates.count() == 2
    client.force_login(make_user("curator"))
    assert f"on {EPYC}" in client.get(synthesis.get_absolute_url()).content.decode()


def test_what_cannot_be_refined_is_said(ended, begun, judged, monkeypatch):
    first, samples = judged
    waiting = begun(name="waiting")
    with pytest.raises(SynthesisError, match="waiting still works"):
        refine(Refinement("next"), waiting, COMMAND)
    unverified = ended(name="unverified", verify="")
    with pytest.raises(SynthesisError, match="No sample of unverified has a verdict yet"):
        refine(Refinement("next"), unverified, COMMAND)
    with pytest.raises(SynthesisError, match="There is a synthesis first already"):
        refine(Refinement("first"), first, COMMAND)
    with pytest.raises(SynthesisError, match="above 0"):
        refine(Refinement("next", until=float("nan")), first, COMMAND)
    with pytest.raises(SynthesisError, match="candidates a sample is 0"):
        refine(Refinement("next", per_parent=0), first, COMMAND)
    monkeypatch.setattr(refining, "MOST_PER_TASK", 2)
    with pytest.raises(SynthesisError, match="would have more than 2 candidates"):
        refining.add_turns(waiting, refining.parents_of(first, 1.0), 3)
    for sample in samples[:3]:
        timed(sample, 3.0)
    with pytest.raises(SynthesisError, match="is at least 1 times as fast"):
        refine(Refinement("next"), first, COMMAND)


def test_feedback_names_what_rejects_and_leaves_labels_out(judged):
    run = judged[1][1].verifications.get()
    found = [
        {"code": "output_replayed", "severity": "reject", "detail": "an earlier answer"},
        {"code": "no_custom_kernel", "severity": "label", "detail": "no kernel of its own"},
    ]
    text = feedback_of(run, {"findings": found})
    assert text.startswith(f"Wrong value on {H200}. 3 of 8")
    assert "output_replayed: an earlier answer" in text
    assert "no_custom_kernel" not in text


def test_a_long_log_is_told_from_its_first_error_on():
    log = "noise\n" * 2000 + "a.cu(1): error: first\n" + "b.cu(2): error: second\n" * 500
    assert errors_of(log).startswith("a.cu(1): error: first")
    assert len(errors_of(log)) == 4000
    assert errors_of("x" * 5000) == "x" * 4000
    assert errors_of("") == ""


def test_a_kernel_that_holds_a_place_of_the_prompt_fills_nothing():
    told = [Told("K {{feedback}}", "F {{program}}")]
    made = for_program(refinement().messages, "P {{kernel}}", told)
    text = "\n".join(message["content"] for message in made)
    assert text.count("P {{kernel}}") == text.count("K {{feedback}}") == text.count("F {{program}}") == 1


def test_a_curator_refines_on_the_page(judged, client):
    first, _ = judged
    client.force_login(make_user("curator"))
    page = client.get(first.get_absolute_url()).content.decode()
    assert "One turn by hand" in page
    url = reverse("synthesis-refine", args=[first.pk])
    refused = client.post(url, {"name": "first", "until": "1", "per_parent": "1"})
    assert refused.status_code == 400
    assert "There is a synthesis first already" in refused.content.decode()
    made = client.post(url, {"name": "second", "until": "1", "per_parent": "1", "verify": "quick"})
    second = Synthesis.objects.get(name="second")
    assert made["Location"] == second.get_absolute_url()
    assert "Refines" in client.get(made["Location"]).content.decode()
    assert "second" in client.get(first.get_absolute_url()).content.decode()
    assert AuditEntry.objects.filter(action="synthesis.start", target_id=str(second.pk)).exists()
    client.force_login(make_user("annotator"))
    assert client.post(url, {"name": "third"}).status_code == 403


def test_programs_refine_too(judged, client):
    first, samples = judged
    headers = {"Authorization": f"Bearer {token_for(make_user('curator'), 'read', 'curate')}"}
    url = reverse("api-synthesis-refine", args=[first.pk])
    made = client.post(
        url, {"name": "second", "until": 0.5}, content_type="application/json", headers=headers
    )
    assert (made.status_code, made.json()["refines"]) == (202, str(first.pk))
    again = client.post(url, {"name": "second"}, content_type="application/json", headers=headers)
    assert again.status_code == 400
    rows = client.get(reverse("api-synthesis-candidates", args=[made.json()["id"]]), headers=headers).json()
    assert {row["parent"] for row in rows["results"]} == {str(sample.pk) for sample in samples[:2]}


def test_the_command_refines(judged, capsys):
    call_command("synthesize", "refine", "second", "--of", "first", "--verify", "none")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["stored"] == 3
    with pytest.raises(CommandError, match="No synthesis is called 'none'"):
        call_command("synthesize", "refine", "third", "--of", "none")


def test_the_command_takes_a_judge_and_earlier_turns(judged, server):
    judge = ("--judge-endpoint", "local", "--judge-model", "judge-1")
    call_command(
        "synthesize", "refine", "second", "--of", "first", "--verify", "none", "--told-turns", "2", *judge
    )
    second = Synthesis.objects.get(name="second")
    assert (second.told_turns, second.judge_model) == (2, "judge-1")
    assert [request["model"] for request in server.requests].count("judge-1") == 3
