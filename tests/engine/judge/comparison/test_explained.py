"""Tests of what the reference's own moves explain."""

import math

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from eval_app.engine.judge.comparison.compare import Difference, Tolerance, compare  # noqa: E402
from eval_app.engine.judge.comparison.explained import (  # noqa: E402
    MOST_RUNS,
    NUDGES,
    Moves,
    accumulate,
    is_explained,
    joined,
)

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)
RIGHT, WRONG = Difference(total=100), Difference(wrong=3, total=100, furthest=0.5)


def test_an_output_that_last_bits_move_excuses_itself_and_no_other():
    moved = joined([WRONG, RIGHT])
    assert is_explained(joined([WRONG, RIGHT]), moved)
    assert not is_explained(joined([RIGHT, WRONG]), moved)
    assert is_explained(joined([RIGHT, RIGHT]), moved)


def test_moves_of_several_calls_add_up_output_by_output():
    moved = Difference()
    for call in (joined([RIGHT, RIGHT]), Difference(), joined([RIGHT, WRONG])):
        accumulate(moved, call)
    assert is_explained(joined([RIGHT, WRONG]), moved)
    assert not is_explained(joined([WRONG, RIGHT]), moved)
    assert moved.total == 400


def test_another_size_explains_anything():
    moved = Difference()
    accumulate(moved, joined([Difference(wrong=1, furthest=math.inf)]))
    assert is_explained(joined([Difference(wrong=8, total=8, furthest=1e9)]), moved)


@pytest.mark.parametrize(("plain", "is_explained"), [(RIGHT, False), (WRONG, True)])
def test_wrong_plain_values_are_excused_by_moves_of_plain_values_alone(plain, is_explained):
    truth = torch.zeros(256)
    tensor = compare(changed(slice(0, 32)), truth, KERNELBENCH)
    moves = Moves(joined([tensor, Difference(wrong=1, total=1, furthest=1.0)]), KERNELBENCH)
    moves.add([changed(slice(0, 40))], [truth], plain)
    assert moves.explain() == is_explained


def moves_of(got, truth, runs):
    """Return the moves that `runs` of the reference make, until they decide, and how many those are."""
    moves, count = Moves(joined([compare(got, truth, KERNELBENCH)]), KERNELBENCH), 0
    for run in runs:
        if moves.is_decided:
            break
        moves.add(None if run is None else [run], [truth])
        count += 1
    return moves, count


def changed(places, by=1.0):
    values = torch.zeros(256)
    values[places] += by
    return values


def test_elements_that_never_move_are_not_excused_by_others_of_the_same_output():
    fast, never = slice(0, 128), slice(128, 160)
    runs = [changed(fast, torch.randn(128)) for _ in range(MOST_RUNS)]
    moves, count = moves_of(changed(never), torch.zeros(256), runs)
    assert (moves.explain(), count) == (False, NUDGES)
    assert is_explained(joined([compare(changed(never), torch.zeros(256), KERNELBENCH)]), moves.moved)


def test_elements_that_move_are_excused_at_once_also_if_by_less_than_they_are_off():
    moves, count = moves_of(changed(slice(0, 32)), torch.zeros(256), [changed(slice(0, 40), 0.2)] * 9)
    assert (moves.explain(), count) == (True, 1)
    assert not moves_of(changed(slice(0, 32)), torch.zeros(256), [changed(slice(0, 40), 0.1)] * 9)[
        0
    ].explain()


def test_a_choice_that_few_runs_make_otherwise_is_excused_as_long_as_more_runs_find_more_of_it():
    wrong = torch.arange(64)
    runs = [changed(wrong[number::20]) for number in range(20)]
    moves, count = moves_of(changed(wrong), torch.zeros(256), runs)
    assert moves.explain()
    assert NUDGES < count <= 11


def test_runs_end_once_none_of_as_many_moves_any_more():
    wrong = torch.arange(64)
    runs = [changed(torch.cat([wrong[:4], torch.arange(128, 256)]))] * MOST_RUNS
    moves, count = moves_of(changed(wrong), torch.zeros(256), runs)
    assert (moves.explain(), count) == (False, 1 + NUDGES)
    runs = [changed(torch.cat([wrong[number : number + 1], torch.arange(128, 256)])) for number in range(64)]
    assert moves_of(changed(wrong), torch.zeros(256), runs)[1] == MOST_RUNS


def test_what_is_hardly_wrong_needs_no_move_of_its_own():
    runs = [changed(slice(128, 160), 0.01)] * MOST_RUNS
    assert moves_of(changed(slice(0, 32), 3e-4), torch.zeros(256), runs)[0].explain()
    assert not moves_of(changed(slice(0, 32), 8e-4), torch.zeros(256), runs)[0].explain()


def test_whole_numbers_are_explained_by_any_other_and_infinities_by_infinities_alone():
    truth = torch.arange(64)
    got, near = truth + 40, truth + 7
    assert moves_of(got, truth, [near] * 9)[0].explain()
    infinite = changed(slice(0, 8), math.inf)
    assert moves_of(infinite, torch.zeros(256), [infinite] * 9)[0].explain()
    elsewhere = changed(slice(8, 16), math.inf)
    assert not moves_of(infinite, torch.zeros(256), [elsewhere] * 9)[0].explain()


def test_runs_that_fail_explain_nothing_and_other_sizes_anything():
    got = changed(slice(0, 32))
    assert moves_of(got, torch.zeros(256), [None] * MOST_RUNS)[1] == NUDGES
    assert not moves_of(got, torch.zeros(256), [None] * MOST_RUNS)[0].explain()
    assert moves_of(got, torch.zeros(256), [torch.zeros(7)])[0].explain()


@pytest.mark.parametrize("right", [math.inf, -math.inf, math.nan])
def test_finite_values_in_the_place_of_infinite_ones_that_never_move_are_not_excused(right):
    truth = torch.zeros(256)
    truth[128:160] = right
    got, run = truth.clone(), truth.clone()
    got[128:160] = 1.0
    run[:128] = math.inf
    moves, _ = moves_of(got, truth, [run] * MOST_RUNS)
    assert not moves.explain()
    run[128:160] = 1.0
    moves, _ = moves_of(got, truth, [run] * MOST_RUNS)
    assert moves.explain()


class _AsOnAGpu(TorchDispatchMode):
    """Refuses to compute with eight-bit numbers, as torch does on a GPU."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket is torch.ops.aten.abs and args[0].dtype.itemsize == 1:
            raise NotImplementedError(f"abs of {args[0].dtype}")
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_moves_of_eight_bit_numbers_are_computed_in_a_wider_form(dtype):
    truth = torch.full((256,), 2.0).to(dtype)
    got = (truth.float() + changed(slice(0, 64))).to(dtype)
    with _AsOnAGpu():
        moves, _ = moves_of(got, truth, [got] * NUDGES)
    assert moves.explain()
