"""What calls that are handed over one by one confirm: making many of them together helps nobody."""

import math
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge.clock.handover import Handover

TURN_MS, NOISE_MS = 0.01, 0.008


def handed_over(candidate=(0.034,) * 64, reference=(0.034,) * 64):
    return Handover(
        TURN_MS, NOISE_MS, reference=list(reference), candidate=list(candidate), between=list(candidate)
    )


@pytest.mark.parametrize(("claimed", "confirmed"), [(1.0, True), (1.1, True), (1.15, False), (2.0, False)])
def test_a_batch_of_short_calls_gains_nothing_where_calls_come_one_by_one(claimed, confirmed):
    objection = handed_over().objection(claimed)
    assert not objection if confirmed else "handed over one by one a call takes 0.0340 ms" in objection


@pytest.mark.parametrize(("claimed", "confirmed"), [(1.04, True), (1.1, False)])
def test_longer_calls_have_a_twentieth(claimed, confirmed):
    assert bool(handed_over([0.2] * 64, [0.2] * 64).objection(claimed)) is not confirmed


def test_calls_shorter_than_what_the_turns_vary_by_are_left_to_the_other_orders():
    assert not handed_over([0.0016] * 64, [0.117] * 64).objection(27.5)


def test_turns_that_vary_as_they_do_on_a_lane_show_what_a_call_takes():
    assert not handed_over([0.030, 0.038] * 32).objection(1.0)


@pytest.mark.parametrize(
    "candidate",
    [
        [0.03, 0.09] * 32,  # one that is slow now and then, to have room for its other calls
        [-0.05] * 64,  # one that has a faster way to its values than the gate
    ],
)
def test_what_is_no_measurement_confirms_nothing(candidate):
    assert "that is no measurement" in handed_over(candidate).objection(1.0)


def test_a_candidates_own_spread_gives_it_no_room():
    steady, uneven = handed_over([0.2] * 64), handed_over([0.18, 0.22] * 32)
    assert uneven.largest_speedup() == pytest.approx(steady.largest_speedup())


@pytest.mark.parametrize(("tried", "single_ms"), [([0.2] * 4, math.inf), ([0.2], math.inf), ([], 0.2)])
def test_a_reference_that_is_slow_in_one_try_is_no_slower_than_in_most_nor_than_alone(tried, single_ms):
    handover = handed_over([0.2] * 16, [0.3] * 16)
    assert not handover.objection(1.4)
    handover.tried, handover.single_ms = tried, single_ms
    assert handover.reference_ms == pytest.approx(0.2)
    assert handover.objection(1.4)


def test_a_try_in_which_something_slowed_the_reference_down_confirms_no_more_than_those_before():
    handover, took = Handover(), iter([0.2, 0.4] + [0.2] * 40)

    def order(count):
        reference_ms = next(took)
        drawn = SimpleNamespace(queued=True, reference_each_ms=[reference_ms] * count)
        times = {"each_ms": [0.2] * count, "between_each_ms": [0.2] * count, "copies_each_ms": [0.0] * count}
        return drawn, SimpleNamespace(queued=True, late=False, **times)

    handover.measure(order, 32, 1.8)
    assert handover.tried[:2] == pytest.approx([0.2, 0.4])
    assert handover.objection(1.8)


def test_a_single_slow_turn_changes_little():
    assert not handed_over([0.034] * 63 + [0.3]).objection(1.0)


def test_calls_that_wait_when_they_come_one_by_one_confirm_nothing():
    assert "were not queued" in handed_over([], []).objection(1.0)


@pytest.mark.parametrize(("reference_queued", "queued"), [(True, False), (False, True)])
def test_only_calls_that_both_sides_queued_count(reference_queued, queued):
    handover = Handover(TURN_MS)
    handover.add(drawn(reference_queued), window(queued))
    assert not handover.candidate


def test_the_turn_and_the_copies_are_taken_off_and_the_first_call_left_out():
    handover = Handover(TURN_MS)
    handover.add(drawn(True), window(True))
    assert handover.candidate == pytest.approx([0.08 - 0.0204 - TURN_MS, 0.09 - 0.02142 - TURN_MS])
    assert handover.reference == [0.05, 0.06]


def drawn(queued):
    return SimpleNamespace(queued=queued, reference_each_ms=[0.5, 0.05, 0.06])


def window(queued):
    return SimpleNamespace(
        queued=queued,
        late=False,
        each_ms=[0.3, 0.08, 0.09],
        between_each_ms=[0.2, 0.06, 0.069],
        copies_each_ms=[0.1, 0.02, 0.021],
    )


def test_copies_that_a_candidate_lengthens_when_they_are_weighed_again_gain_it_nothing():
    """Copies that the candidate queued before it was frozen take turns with the judge's on the same engines."""
    handover = handed_over([0.010] * 64, [0.034] * 64)
    handover.between = [0.034] * 64
    assert "handed over one by one a call takes 0.0340 ms" in handover.objection(3.0)


def test_a_call_that_goes_on_while_its_results_are_copied_is_no_shorter():
    handover = handed_over()
    handover.between = [0.002] * 64
    assert "handed over one by one a call takes 0.0340 ms" in handover.objection(3.0)


def test_what_lies_between_the_copies_counts_beyond_what_the_gate_takes():
    handover = Handover(TURN_MS, gate_ms=0.006)
    handover.add(drawn(True), window(True))
    assert handover.between == pytest.approx([0.054, 0.063])


@pytest.mark.parametrize(("late", "counted"), [(False, 3), (True, 0)])
def test_calls_whose_times_hold_launches_do_not_count(late, counted):
    handover = Handover()
    drawn = SimpleNamespace(queued=True, reference_each_ms=[0.01] * 4)
    handover.add(
        drawn,
        SimpleNamespace(
            queued=True,
            late=late,
            each_ms=[0.02] * 4,
            between_each_ms=[0.015] * 4,
            copies_each_ms=[0.005] * 4,
        ),
    )
    assert len(handover.candidate) == len(handover.reference) == counted


@pytest.mark.parametrize(
    ("calls", "own_ms", "enough"), [(23, 0.03, False), (24, 0.03, True), (5, 1.5, False), (6, 1.5, True)]
)
def test_of_long_calls_fewer_are_enough(calls, own_ms, enough):
    handover = handed_over([own_ms] * calls, [own_ms] * calls)
    assert bool(handover.objection(1.0)) is not enough


def test_two_calls_at_a_time_are_handed_over_until_there_are_enough():
    handover, counts = Handover(TURN_MS), []

    def order(count):
        counts.append(count)
        window = SimpleNamespace(
            queued=count == 2, late=False, each_ms=[0.06] * count, between_each_ms=[0.03] * count,
            copies_each_ms=[0.02] * count,
        )  # fmt: skip
        return SimpleNamespace(queued=True, reference_each_ms=[0.03] * count), window

    handover.measure(order, 8, 1.0)
    assert counts == [8, 4, *[2] * 24]
    assert len(handover.candidate) == 24
