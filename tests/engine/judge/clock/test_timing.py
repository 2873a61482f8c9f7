"""Timed pairs: how many are made, and what ends them."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from eval_app.engine.contract.profiles import PROFILES
from eval_app.engine.judge.clock import timing
from eval_app.engine.judge.verdicts import UnreviewedError

PROFILE = replace(PROFILES["quick"], warmup_calls=0, warmup_s=0, timings_min=20)
QUIET = SimpleNamespace(is_quiet=lambda: True)


class Trials:
    """A stand-in whose calls all need a review, `reviewed` of which are within the time once it is bounded."""

    families = ()

    def __init__(self, reviewed):
        self.left, self.reviewed = float("inf"), reviewed

    def allow_reviews(self, share):
        self.left = self.reviewed if share < 1 else share

    def check(self, case):
        if self.left <= 0:
            raise UnreviewedError("no time")
        self.left -= 1
        return SimpleNamespace(reply=SimpleNamespace(ms=1.0, wall_ms=1.0, tail_ms=0.0, aliases_input=False))


@pytest.mark.parametrize(("reviewed", "pairs"), [(0, 1), (5, 6), (1000, 24)])
def test_pairs_end_with_the_time_for_reviews_and_one_of_them_has_all_that_it_takes(reviewed, pairs):
    session = SimpleNamespace(frozen=nullcontext, sets=16)
    maker = SimpleNamespace(make=lambda: SimpleNamespace(reference_ms=1.0, overhead_ms=0.0))
    made = timing.measure(session, maker, Trials(reviewed), PROFILE, QUIET)
    assert len(made.candidate) == pairs


def test_single_calls_of_the_reference_in_which_others_were_at_work_are_made_again():
    looks, made = iter([False, True, *[True] * 100]), []
    session = SimpleNamespace(frozen=nullcontext, sets=16)
    maker = SimpleNamespace(
        make=lambda: made.append(None) or SimpleNamespace(reference_ms=float(len(made)), overhead_ms=0.0)
    )
    watch = SimpleNamespace(is_quiet=lambda: next(looks))
    pairs = timing.measure(session, maker, Trials(1000), PROFILE, watch)
    assert pairs.reference[:2] == [17.0, 18.0], "the first sixteen are not counted"
