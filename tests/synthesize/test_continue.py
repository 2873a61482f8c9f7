"""Tests of turns that go on after they ended: within the limits of a start, and after a cancellation at the end."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Synthesis, Verification
from datasets_app.synthesize import loops, run
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import continue_loop
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.verbs import cancel
from tests.synthesize.turns import by_turn, take_through, take_turn, turns_of

pytestmark = pytest.mark.django_db


def test_more_turns_are_held_to_as_many_candidates_as_a_start(looped, monkeypatch):
    monkeypatch.setattr(loops, "MOST_CANDIDATES", 10)
    loop = take_through(looped(tasks=2, most_turns=2), by_turn("wrong_value"))
    with pytest.raises(SynthesisError, match="12 candidates in all turns are more than 10"):
        continue_loop(loop, COMMAND, most_turns=6, in_background=False)
    loop.refresh_from_db()
    assert (loop.state, loop.most_turns) == ("done", 2)
    continue_loop(loop, COMMAND, most_turns=5, in_background=False)


def test_a_turn_that_was_cancelled_after_its_last_answer_is_verified_and_followed(looped, monkeypatch):
    loop = looped(tasks=1, most_turns=3)
    take_turn(loop, by_turn("wrong_value"))

    def cancelled_meanwhile(synthesis):
        cancel(Synthesis.objects.get(pk=synthesis.pk), COMMAND)

    with monkeypatch.context() as patch:
        patch.setattr(run, "verify_samples", cancelled_meanwhile)
        run_synthesis(loop.current_id)
    loop.refresh_from_db()
    assert (loop.state, loop.current.state) == ("cancelled", "cancelled")
    assert not Verification.objects.filter(state="queued").exists()
    continue_loop(loop, COMMAND, in_background=False)
    assert Verification.objects.filter(state="queued").count() == 1
    take_turn(loop, by_turn("wrong_value"))
    assert (loop.state, loop.error, len(turns_of(loop))) == ("queued", "", 3)
