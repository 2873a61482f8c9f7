"""Tests of what happens to the samples of a synthesis at its end: they are verified, once, if that was asked for."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from datasets_app import bulk
from datasets_app.accounts.actor import COMMAND, account
from datasets_app.models import BulkAction, Loop, Sample, Synthesis, Verification
from datasets_app.synthesize import run
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import LoopPlan, start_loop
from datasets_app.synthesize.run import Run, run_synthesis
from datasets_app.synthesize.turns import run_loop
from datasets_app.synthesize.verbs import cancel, go_on
from eval_app.models import VerificationBatch
from tests.factories import make_sample, make_task, make_user
from tests.synthesize.model_server import status, streams

pytestmark = pytest.mark.django_db


def test_the_samples_are_verified_at_the_end_as_one_batch(ended, client):
    other = make_sample()
    synthesis = ended(tasks=2, per_task=2, verify="standard")
    runs = Verification.objects.filter(batch=synthesis.verify_action_id)
    assert set(runs.values_list("sample", flat=True)) == set(
        Sample.objects.exclude(pk=other.pk).values_list("pk", flat=True)
    )
    assert set(runs.values_list("profile", "state")) == {("standard", "queued")}
    assert "first" in VerificationBatch.objects.get(pk=synthesis.verify_action_id).title
    client.force_login(make_user("curator"))
    page = client.get(synthesis.get_absolute_url()).content.decode()
    followed = f"{reverse('verify')}?batch={synthesis.verify_action_id}"
    assert followed in page
    assert "under standard, when it ends" in page
    assert client.get(followed).status_code == 200


def test_none_is_verified_where_nobody_asked_or_nothing_is_stored(ended, server, client):
    assert ended(verify="").verify_action is None
    server.usual = streams("No code at all.")
    assert ended(name="second").verify_action is None
    assert not Verification.objects.exists()


def test_a_profile_that_does_not_exist_is_refused_before_anything_is_asked(begun):
    with pytest.raises(SynthesisError, match="no profile 'exact'; choose one of: quick"):
        begun(verify="exact")


def test_what_was_stored_before_a_fault_is_verified_and_what_comes_later_too(begun, server):
    synthesis = begun(tasks=4, at_once=1)
    server.answers = [server.usual, server.usual]
    server.usual, usual = status(403), server.usual
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert (synthesis.state, Verification.objects.count()) == ("failed", 2)
    Verification.objects.update(state="failed", error="gone", finished_at=synthesis.finished_at)
    server.usual = usual
    go_on(synthesis, COMMAND, in_background=False)
    run_synthesis(synthesis.pk)
    assert synthesis.candidates.tally()["stored"] == 4
    assert Verification.objects.values("sample").distinct().count() == 4


def test_one_that_was_cancelled_verifies_nothing(begun, monkeypatch):
    synthesis, original = begun(tasks=4, at_once=1), Run.take

    def cancelled_after_one(self, outcomes):
        original(self, outcomes)
        if self.new_samples == 1:
            cancel(synthesis, COMMAND)

    monkeypatch.setattr(Run, "take", cancelled_after_one)
    run_synthesis(synthesis.pk)
    assert (synthesis.candidates.tally()["stored"], Verification.objects.count()) == (1, 0)


def test_a_worker_that_takes_it_over_at_the_end_requests_none_twice(ended):
    synthesis = ended(tasks=3)
    type(synthesis).objects.update(state="queued", finished_at=None)
    run_synthesis(synthesis.pk)
    assert Verification.objects.count() == 3


def test_a_loop_that_starts_while_its_first_turn_works_has_that_turn_verified(begun, monkeypatch):
    synthesis = begun(tasks=2, verify="")

    def storing(*given):
        if not Synthesis.objects.filter(pk=synthesis.pk, loop__isnull=False).exists():
            start_loop(LoopPlan(verify_profile="standard"), synthesis, COMMAND, in_background=False)
        return store(*given)

    store = run.store
    monkeypatch.setattr(run, "store", storing)
    run_synthesis(synthesis.pk)
    assert list(Verification.objects.values_list("profile", "state")) == [("standard", "queued")] * 2


def test_a_loop_that_starts_just_before_its_first_turn_ends_has_that_turn_verified(begun, monkeypatch):
    synthesis = begun(tasks=2, verify="")

    def verifying(given):
        verify_samples(given)
        start_loop(LoopPlan(verify_profile="standard"), synthesis, COMMAND, in_background=False)

    verify_samples = run.verify_samples
    monkeypatch.setattr(run, "verify_samples", verifying)
    run_synthesis(synthesis.pk)
    loop = Loop.objects.get()
    for _ in range(2):  # the second finds it not due
        run_loop(loop.pk, in_background=False)
    loop.refresh_from_db()
    assert (loop.state, loop.attempt, loop.current) == ("queued", 0, synthesis)
    assert list(Verification.objects.values_list("profile", "state")) == [("standard", "queued")] * 2


def test_the_undo_of_the_person_who_asked_is_left_alone(begun):
    person = make_user("curator")
    tagged = bulk.start(account(person), "tag", bulk.Target.of_ids([str(make_sample().pk)]), {"tag": "fast"})
    synthesis = begun()
    type(synthesis).objects.update(created_by=person)
    run_synthesis(synthesis.pk)
    tagged.refresh_from_db()
    assert not tagged.undo_ended
    assert BulkAction.objects.get(action="verify").actor is None


def test_the_command_says_what_was_requested_and_what_waits(server, capsys):
    make_task()
    call_command("synthesize", "start", "first", "--endpoint", "local", "--model", "m", "--per-task", "2")
    said = capsys.readouterr()
    assert "Requested verification of 2 samples; 2 wait" in said.err
    call_command("synthesize", "start", "second", "--endpoint", "local", "--model", "m", "--verify", "none")
    assert "verification" not in capsys.readouterr().err
