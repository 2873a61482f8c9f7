"""The clock that decides: what it confirms, what it calls impossible, and what it leaves open."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge.clock.order_timing import Claim, OrderCost, OrderTiming


def timed(candidate=(0.1, 0.1, 0.1, 0.1), reference=(0.2, 0.2, 0.2, 0.2), noise_ms=0.0, **more):
    return OrderTiming(
        OrderCost(0.3, noise_ms), calls=100, reference=list(reference), candidate=list(candidate), **more
    )


@pytest.mark.parametrize(("claimed", "confirmed"), [(1.5, True), (2.05, True), (2.2, False), (20.0, False)])
def test_a_speedup_is_confirmed_up_to_a_twentieth_more_than_orders_show(claimed, confirmed):
    assert confirmed is not bool(timed().objection(Claim(0.1, 0.2, claimed), "cuda"))


@pytest.mark.parametrize(("claim_ms", "confirmed"), [(0.021, False), (0.019, True)])
def test_calls_under_twenty_microseconds_have_more_room(claim_ms, confirmed):
    timing = timed([0.018] * 4, [0.036] * 4)
    assert confirmed is not bool(timing.objection(Claim(claim_ms, 0.036, 2.2), "cuda"))


@pytest.mark.parametrize("claim_ms", [0.019, 0.0205])
def test_calls_that_take_more_than_that_in_orders_have_no_more_room(claim_ms):
    timing = timed([0.021] * 4, [0.042] * 4)
    assert timing.objection(Claim(claim_ms, 0.042, 2.2), "cuda")


@pytest.mark.parametrize(
    ("claimed", "confirmed", "borne_out"), [(2.15, True, True), (2.25, True, False), (2.35, False, False)]
)
def test_a_confirmed_claim_is_reported_only_as_far_as_orders_vary(claimed, confirmed, borne_out):
    """The room of short calls let a forged 1.26 stand where orders, a tenth too high, showed 1.10."""
    timing, claim = timed([0.004] * 4, [0.008] * 4), Claim(0.004, 0.008, claimed)
    assert confirmed is not bool(timing.objection(claim, "cuda"))
    assert timing.bear_out(claim, "cuda") is borne_out


def test_calls_that_most_claims_make_short_are_not_confirmed_beside_a_speedup_that_is_true():
    """The middle of the pairs' ratios is 1 where nearly half of the claims are long; the report has their median."""
    timing = timed([0.2] * 4, [0.2] * 4)
    assert not timing.objection(Claim(0.2, 0.2, 1.0), "cuda")
    assert "1.61 times eager" in timing.objection(Claim(0.124, 0.2, 1.0), "cuda")


MANY_LAUNCHES = {"candidate": [0.02] * 12, "reference": [0.6] * 12}


@pytest.mark.parametrize(
    ("single_ms", "unqueued", "device", "confirmed"),
    [(4.0, 0, "cuda", True), (0.8, 0, "cuda", False), (4.0, 7, "cuda", False), (4.0, 0, "cpu", False)],
    ids=["many launches", "few", "launches in the orders too", "no launches"],
)
def test_beside_a_reference_of_many_launches_the_times_without_them_are_confirmed(
    single_ms, unqueued, device, confirmed
):
    timing = timed(**MANY_LAUNCHES, reference_unqueued=unqueued)
    claim = Claim(0.02, single_ms, single_ms / 0.02)
    assert confirmed is not bool(timing.objection(claim, device))
    assert (timing.in_question(claim, device) is not claim) == confirmed
    if confirmed:
        assert timing.in_question(claim, device) == Claim(0.02, 0.6, pytest.approx(30))


def test_a_claim_that_orders_bear_out_is_kept_beside_a_reference_of_many_launches():
    timing, claim = timed(**MANY_LAUNCHES), Claim(0.2, 4.0, 20.0)
    assert timing.in_question(claim, "cuda") is claim
    assert not timing.objection(claim, "cuda")


@pytest.mark.parametrize(("alone_ms", "confirmed"), [(0.02, True), (0.2, False)])
def test_times_without_launches_are_held_against_calls_of_their_own(alone_ms, confirmed):
    timing = timed(**MANY_LAUNCHES, lone_reference=[0.6] * 3, lone_candidate=[alone_ms] * 3)
    objection = timing.objection(Claim(0.02, 4.0, 200.0), "cuda")
    assert confirmed is not ("200.00 times eager" in objection)


@pytest.mark.parametrize(("claim_ms", "confirmed"), [(0.11, False), (0.09, True)])
def test_short_calls_of_a_cpu_have_more_room(claim_ms, confirmed):
    timing = timed([0.08] * 4, [0.16] * 4)
    assert confirmed is not bool(timing.objection(Claim(claim_ms, 0.2, 2.4), "cpu"))


@pytest.mark.parametrize(
    ("candidate_ms", "largest"),
    [(0.8, 0.3 / 0.9), (0.2, 1.0), (0.1, 2.0)],
    ids=["a slower candidate", "an equal one", "a faster one"],
)
def test_what_a_single_call_adds_to_the_reference_excuses_a_slower_candidate_and_rewards_nobody(
    candidate_ms, largest
):
    assert timed([candidate_ms] * 4).largest_speedup(single_ms=0.3) == pytest.approx(largest)


@pytest.mark.parametrize(
    ("alone", "unqueued", "largest"),
    [(True, 0, 1.2), (False, 0, 2.0), (True, 4, 2.0)],
    ids=["a device of its own", "one that others use", "launches in the reference's orders"],
)
def test_a_reference_is_no_slower_as_one_of_many_calls_than_alone(alone, unqueued, largest):
    """Orders of 0.2 ms a call, where a single call takes 0.12: something slowed the device down in its turns."""
    timing = timed(reference_unqueued=unqueued)
    timing.cost = replace(timing.cost, alone=alone)
    assert timing.largest_speedup(single_ms=0.12) == pytest.approx(largest)


def test_what_the_lane_varies_by_is_room_as_well_and_less_with_more_orders():
    assert timed().noise_ms == 0
    few, many = timed(noise_ms=4.0), timed([0.1] * 16, [0.2] * 16, noise_ms=4.0)
    assert (few.noise_ms, many.noise_ms) == pytest.approx((0.04, 0.02))
    assert few.largest_speedup(0.2) > many.largest_speedup(0.2) > 2


@pytest.mark.parametrize(("kind", "noise_ms"), [("cuda", 0.55), ("cpu", 1.1)])
def test_orders_that_vary_too_much_confirm_nothing(kind, noise_ms):
    assert "vary too much" in timed(noise_ms=noise_ms).objection(Claim(0.1, 0.2, 1.0), kind)
    assert not timed(noise_ms=noise_ms * 0.8).objection(Claim(0.1, 0.2, 1.0), kind)


@pytest.mark.parametrize(
    ("candidate", "resolved"), [([0.1] * 4, True), ([-0.2, -0.1, 0.0, 0.1], False), ([0.0] * 4, False)]
)
def test_orders_that_take_no_longer_than_what_is_taken_off_measure_nothing(candidate, resolved):
    assert timed(candidate).is_resolved is resolved


def test_an_order_that_something_else_made_longer_changes_little():
    assert timed([0.1, 0.1, 0.1, 0.5, 0.1]).candidate_ms == 0.1
    assert timed([0.1, 0.1, 0.1, 0.5, 0.1]).noise_ms == 0


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_a_slow_order_of_its_own_gives_a_candidate_no_room(kind):
    shaped = timed([0.2, 0.2, 0.2, 0.24])
    assert shaped.noise_ms > 0
    assert shaped.largest_speedup(0.2) == 1
    assert shaped.objection(Claim(0.155, 0.2, 1.16), kind)


@pytest.mark.parametrize("reference", [[0.2] * 4, [0.1, 0.2, 0.2, 0.4], [0.1, 0.4, 0.1, 0.4]])
def test_what_the_references_orders_vary_by_is_no_room_and_confirms_nothing(reference):
    timing = timed([0.2] * 4, reference)
    assert timing.largest_speedup(0.2) <= 1.25
    assert ("vary too much" in timing.objection(Claim(0.2, 0.2, 1.0), "cpu")) is (reference != [0.2] * 4)


@pytest.mark.parametrize(("claim_ms", "impossible"), [(0.06, False), (0.049, True), (0.0, True)])
def test_a_claim_under_half_of_the_orders_is_impossible(claim_ms, impossible):
    assert timed().contradicts(claim_ms) is impossible


def test_calls_that_waited_for_the_device_are_never_impossible():
    assert not timed(unqueued=3).contradicts(0.001)


def test_a_few_orders_that_a_busy_host_could_not_queue_in_time_excuse_nothing():
    assert timed(unqueued=2).contradicts(0.001)


def test_processor_time_can_clear_a_candidate_on_a_busy_host():
    assert timed().contradicts(0.01)
    assert not timed().contradicts(0.01, spent_ms=0.015)


@pytest.mark.parametrize(
    ("claim_ms", "alone", "noise_ms", "possible"),
    [
        (0.06, [0.09, 0.1, 0.2], 0.0, True),
        (0.06, [0.2, 0.2, 0.2], 0.0, False),
        (0.001, [0.001, 0.001, 0.001], 0.004, False),
        (0.06, [], 0.0, False),
    ],
    ids=["a call alone is short", "it is as long", "too short for the lane to tell", "none was queued"],
)
def test_a_claim_is_possible_where_calls_of_their_own_take_what_it_says(claim_ms, alone, noise_ms, possible):
    timing = timed([0.2] * 4, [0.2] * 4, noise_ms, lone_candidate=alone)
    assert timing.is_possible_alone(claim_ms) is possible


def test_what_copies_of_the_results_may_have_taken_longer_is_no_false_claim():
    assert timed().contradicts(0.01)
    assert not timed(copying=[0.085] * 4).contradicts(0.01)
    assert timed(copying=[0.07] * 4).contradicts(0.01), "beyond what copies explain it is impossible as ever"
    assert "at most 2.00" in timed(copying=[0.085] * 4).objection(Claim(0.01, 0.2, 20.0), "cpu")


def test_orders_that_vary_on_a_busy_host_are_no_excuse_where_processor_time_is_at_hand():
    varied = timed(candidate=[0.3, 0.3, 0.9, 1.5])
    assert not varied.contradicts(0.002)
    assert varied.contradicts(0.002, spent_ms=0.3)
    assert not varied.contradicts(0.2, spent_ms=0.3)


@pytest.mark.parametrize(
    ("alone", "noise_ms", "confirmed"),
    [
        ([0.2, 0.2, 0.2], 0.0, False),
        ([0.2, 0.2, 0.2], 0.1, True),
        ([0.02, 0.03, 0.02], 0.0, True),
        ([], 0.0, True),
    ],
    ids=["as long as the reference", "within the lane's noise", "short", "not measured"],
)
def test_calls_that_are_fast_together_alone_are_not_confirmed(alone, noise_ms, confirmed):
    timing = timed(
        [0.02] * 400, [0.2] * 400, noise_ms, lone_candidate=alone, lone_reference=[0.2] * len(alone)
    )
    assert confirmed is not bool(timing.objection(Claim(0.02, 0.2, 10.0), "cuda"))


def test_a_busy_host_makes_single_orders_longer_and_the_shortest_counts():
    timing = timed(lone_candidate=[4.0, 0.12, 5.0], lone_reference=[0.2] * 3)
    assert not timing.objection(Claim(0.1, 0.2, 2.0), "cuda")


@pytest.mark.parametrize(
    ("call_ms", "kind", "confirmed"),
    [(2.0, "cuda", False), (2.0, "cpu", True), (0.1, "cuda", True)],
    ids=["long", "on a CPU", "short"],
)
def test_long_calls_of_a_gpu_take_as_long_in_an_order_of_their_own(call_ms, kind, confirmed):
    fast = [call_ms / 1.4] * 4
    timing = timed(fast, [call_ms] * 4, lone_candidate=[call_ms] * 3, lone_reference=[call_ms] * 3)
    assert confirmed is not bool(timing.objection(Claim(fast[0], call_ms, 1.4), kind))
