"""Tests of inputs that a task never varies: those that may be moved are, the others stay and are named."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.unvaried import (  # noqa: E402
    come_again,
    find,
    leaf_values,
    movable,
    moved,
    places,
    rescaled,
    with_leaves,
)

FIXED = torch.randn(4, 64, generator=torch.Generator().manual_seed(1))


def draw():
    """Return inputs as a task draws them: only the first varies."""
    return [torch.randn(8, 4), torch.ones(8, 4), {"bias": torch.zeros(4), "eps": 1e-6}, torch.arange(8), 3]


def test_what_two_draws_have_in_common_is_found_by_its_place():
    first = draw()
    assert places(first, find(first, draw()).fixed) == [
        "inputs[1]",
        "inputs[2]['bias']",
        "inputs[2]['eps']",
        "inputs[3]",
        "inputs[4]",
    ]


def test_texts_dtypes_and_arguments_that_are_nothing_are_named_as_numbers_are():
    inputs = [torch.randn(4), None, "mean", torch.float32, True]
    never = find(inputs, [torch.randn(4), *inputs[1:]])
    assert places(inputs, never.fixed) == ["inputs[1]", "inputs[2]", "inputs[3]", "inputs[4]"]


def test_constants_are_moved_and_places_and_counts_are_not():
    first = draw()
    numbers = movable(first, find(first, draw()))
    x, mask, more, places_, count = moved(first, numbers)
    assert torch.equal(x, first[0])
    assert set(mask.unique().tolist()) == {0.0, 1.0}
    assert set(more["bias"].unique().tolist()) == {0.0, 1.0}
    assert more["eps"] == pytest.approx(0.25, rel=1e-3)
    assert torch.equal(places_, torch.arange(8))
    assert count == 3


@pytest.mark.parametrize("value", [True, False])
def test_a_mask_changes_and_never_loses_its_first_column(value):
    mask = torch.full((16, 8), value)
    (other,) = moved([mask], [0])
    assert other.dtype == torch.bool
    assert not torch.equal(other, mask)
    assert bool((other[:, 0] == value).all())


def test_integers_that_are_zero_stay_so_because_they_may_be_places():
    assert (
        movable(
            [torch.zeros(4, dtype=torch.int64)],
            find([torch.zeros(4, dtype=torch.int64)], [torch.zeros(4, dtype=torch.int64)]),
        )
        == []
    )


def test_a_pattern_stays_as_it_is():
    triangle = torch.ones(8, 8).tril()
    assert movable([triangle], find([triangle], [triangle.clone()])) == []


def test_measurements_that_are_drawn_alike_get_another_size_each_time():
    never = find([FIXED], [FIXED.clone()])
    (one,), (other,) = rescaled([FIXED], never, 5), rescaled([FIXED], never, 2**19)
    assert not torch.equal(one, other)
    torch.testing.assert_close(one / one.norm(), FIXED / FIXED.norm())
    assert never.fixed == []


def test_inputs_that_vary_are_left_alone():
    first = [torch.randn(4, 64)]
    never = find(first, [torch.randn(4, 64)])
    assert rescaled(first, never, 5)[0] is first[0]


def test_eight_bit_floats_and_single_integers_are_left_alone():
    eight = torch.ones(4, 4).to(torch.float8_e4m3fn)
    inputs = [eight, torch.tensor(1), torch.tensor(True), torch.tensor(1e-6), torch.zeros(0)]
    never = find(inputs, [value.clone() for value in inputs])
    assert never.fixed == [0, 1, 2, 3, 4]
    assert movable(inputs, never) == [3]


def test_leaves_are_numbered_alike_whatever_the_kinds_of_their_keys():
    inputs = [{1: torch.zeros(2), "2": torch.ones(3)}]
    changed = with_leaves(inputs, {0: torch.full((3,), 7.0)})
    assert [leaf.shape[0] for leaf in leaf_values(changed)] == [3, 2]
    assert leaf_values(changed)[0][0] == 7


def test_a_draw_of_fewer_inputs_than_the_first_ones_has_fewer_constants():
    long, short = [[torch.randn(4)] * 3, torch.ones(4)], [[torch.randn(4)] * 2, torch.ones(4)]
    never = find(long, [[torch.randn(4)] * 3, torch.ones(4)])
    assert movable(long, never) == [3]
    assert movable(short, never) == []
    assert places(short, [3]) == []
    assert torch.equal(moved(short, [3])[1], short[1])


@pytest.mark.parametrize(
    ("draws", "known"),
    [
        (lambda: [torch.arange(8), torch.rand(()).item()], True),
        (lambda: [torch.rand(()).item()], True),
        (lambda: [torch.arange(8), torch.randn(8)], False),
        (lambda: [FIXED, 3], False),
    ],
    ids=["a fixed tensor and a number", "a number alone", "a tensor that varies", "a tensor that is scaled"],
)
def test_inputs_are_known_if_no_draw_varies_a_tensor(draws, known):
    first = draws()
    assert find(first, draws()).are_all(first) is known


@pytest.mark.parametrize(
    ("draw", "again"),
    [
        (lambda: [torch.randint(0, 20, (1,))], True),
        (lambda: [torch.randint(0, 20, (1,)), torch.ones(8)], True),
        (lambda: [torch.randint(0, 20, (1,)), torch.randn(8)], False),
        (lambda: [torch.randint(0, 2**40, (1,))], False),
        (lambda: [torch.arange(8192) + torch.randint(0, 16, ())], True),
        (
            lambda: [
                torch.randn(128, 256, generator=torch.Generator().manual_seed(int(torch.randint(16, ()))))
            ],
            True,
        ),
        (lambda: [torch.randn(128, 256)], False),
        (lambda: [torch.rand(64, 512) < 0.5], False),
    ],
    ids=[
        "few numbers",
        "beside a constant",
        "beside measurements",
        "many numbers",
        "few places of many elements",
        "few batches",
        "measurements",
        "masks",
    ],
)
def test_inputs_of_which_a_task_has_few_come_again(draw, again):
    assert come_again(draw) is again


@pytest.mark.parametrize(("elements", "draws"), [(1, 64), (2**16, 64), (2**20, 4), (2**23, 1)])
def test_fewer_draws_of_large_inputs_are_compared(elements, draws):
    made = []

    def drawn():
        made.append(torch.full((elements,), len(made), dtype=torch.int32))
        return [made[-1]]

    assert not come_again(drawn)
    assert len(made) == draws


def test_cosines_and_sines_that_no_draw_varies_are_of_other_angles_each_time():
    angles = torch.arange(64.0)[:, None] * 10_000 ** (-torch.arange(32) / 32)
    first = [torch.randn(4, 64), angles.cos(), angles.sin()]
    never = find(first, [torch.randn(4, 64), *first[1:]])
    assert never.fixed == []
    x, cosines, sines = rescaled(first, never, 2**18)
    assert x is first[0]
    assert torch.allclose(cosines, (angles + torch.pi / 2).cos(), atol=1e-5)
    assert torch.allclose(sines, (angles + torch.pi / 2).sin(), atol=1e-5)
    assert rescaled([first[0], None, first[2]], never, 5)[2] is first[2]


def test_directions_that_no_draw_varies_keep_their_length():
    directions, sizes = torch.nn.functional.normalize(torch.randn(8, 16), dim=-1), torch.randn(8, 16)
    known = find([directions, sizes], [directions.clone(), sizes.clone()])
    assert known.numbers == {0, 1}
    assert known.scaled == {1}


BANK = torch.randn(96, 64, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("dim", [0, 1])
def test_rows_that_never_vary_get_another_size_at_each_draw(dim):
    def drawn():
        return [torch.cat([torch.randn(32, 64), BANK]).transpose(0, dim).contiguous()]

    first = drawn()
    never = find(first, drawn())
    (one,), (other,) = rescaled(first, never, 5), rescaled(first, never, 2**19)
    ours, theirs = one.transpose(0, dim), other.transpose(0, dim)
    assert torch.equal(ours[:32], first[0].transpose(0, dim)[:32])
    assert not torch.equal(ours[32:], theirs[32:])
    torch.testing.assert_close(ours[32:] / ours[32:].norm(), BANK / BANK.norm())


@pytest.mark.parametrize(
    "fixed",
    [
        torch.zeros(96, 64), torch.ones(96, 64), torch.eye(96, 64), torch.ones(96, 64).tril(), BANK.round(),
        torch.full((96, 64), 0.3), BANK.sign() / 2, torch.zeros(96, 64).masked_fill(BANK > 0, float("-inf")),
    ],
)  # fmt: skip
def test_padding_masks_and_whole_numbers_beside_values_that_vary_stay(fixed):
    first, second = ([torch.cat([torch.randn(32, 64), fixed])] for _ in range(2))
    never = find(first, second)
    assert not never.parts
    assert not never.kept_parts
    assert rescaled(first, never, 5)[0] is first[0]


def test_directions_that_never_vary_stay_and_are_named():
    directions = BANK / BANK.norm(dim=-1, keepdim=True)
    first, second = ([{"x": torch.cat([torch.randn(32, 64), directions])}] for _ in range(2))
    never = find(first, second)
    assert rescaled(first, never, 5)[0]["x"] is first[0]["x"]
    assert never.describe_kept(first) == "96 of 128 rows of inputs[0]['x']"


def test_draws_of_other_sizes_are_not_scaled_in_part():
    never = find([torch.cat([torch.randn(32, 64), BANK])], [torch.cat([torch.randn(32, 64), BANK])])
    shorter = [torch.randn(64, 64)]
    assert torch.equal(rescaled(shorter, never, 5)[0], shorter[0])


def test_few_values_that_are_drawn_alike_by_chance_stay():
    first, second = (
        [torch.randint(0, 10, (256, 8)) / 10, torch.randint(0, 3, (64, 16)) / 7] for _ in range(2)
    )
    assert not find(first, second).parts
