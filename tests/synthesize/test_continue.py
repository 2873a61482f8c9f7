"""Tests of turns that go on after they ended, within the limits of a start."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.synthesize import loops
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import continue_loop
from tests.synthesize.turns import by_turn, take_through

pytestmark = pytest.mark.django_db


def test_more_turns_are_held_to_as_many_candidates_as_a_start(looped, monkeypatch):
    monkeypatch.setattr(loops, "MOST_CANDIDATES", 10)
    loop = take_through(looped(tasks=2, most_turns=2), by_turn("wrong_value"))
    with pytest.raises(SynthesisError, match="12 candidates in all turns are more than 10"):
        continue_loop(loop, COMMAND, most_turns=6, in_background=False)
    loop.refresh_from_db()
    assert (loop.state, loop.most_turns) == ("done", 2)
    continue_loop(loop, COMMAND, most_turns=5, in_background=False)
