"""Tests that value families stay within a task's valid inputs."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.families import (  # noqa: E402
    FAMILIES,
    Domain,
    NotApplicableError,
    change,
    has_ties,
    nudge,
    nudge_absolutely,
    require_regular,
)
from eval_app.engine.judge.values.structure import is_free  # noqa: E402


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_family_keeps_shape_and_type_and_changes_values(name):
    x = torch.randn(8, 16)
    (changed,) = change(name, [x], 7)
    assert changed.shape == x.shape
    assert changed.dtype == x.dtype
    assert not torch.equal(changed, x)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_what_is_never_negative_stays_so(name):
    (changed,) = change(name, [torch.rand(8, 16)], 7)
    assert bool((changed >= 0).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_labels_and_masks_are_left_alone(name):
    masked = torch.randn(8, 16, 16).masked_fill(torch.ones(16, 16).triu(1) > 0, float("-inf")).softmax(-1)
    for x in (torch.randint(0, 5, (64,)), torch.randn(64).sign(), masked):
        with pytest.raises(NotApplicableError):
            change(name, [x], 7)


def test_only_the_free_inputs_change():
    labels = torch.randint(0, 5, (8,))
    changed = change("uniform", {"x": torch.randn(8, 4), "labels": labels}, 7)
    assert torch.equal(changed["labels"], labels)


def test_a_matrix_without_a_form_gets_none():
    (changed,) = change("uniform", [torch.randn(16, 16)], 7)
    assert not torch.equal(changed, changed.triu())
    assert not torch.equal(changed, changed.transpose(-1, -2))


def test_a_nudge_moves_last_bits_alone():
    x = torch.randn(100)
    moved = nudge(x)
    assert not torch.equal(moved, x)
    torch.testing.assert_close(moved, x, rtol=1e-6, atol=0)
    assert torch.equal(nudge(torch.arange(5)), torch.arange(5))
    assert nudge(torch.empty(0, 4)).shape == (0, 4)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_probabilities_stay_so_where_the_reference_takes_no_other_values(name):
    values = torch.rand(64, 32)
    changed = change(name, [values], 0, domain=Domain.UNIT)[0]
    assert bool(((changed >= 0) & (changed <= 1)).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_values_stay_in_the_range_of_the_tasks_own_where_the_reference_takes_no_others(name):
    values = torch.rand(64, 32) * 15 + 0.5
    changed = change(name, [values], 0, domain=Domain.OWN)[0]
    for moved in (changed, nudge(values, domain=Domain.OWN), nudge_absolutely(values, domain=Domain.OWN)):
        assert values.min() <= moved.min() <= moved.max() <= values.max()


def test_stretched_rows_hold_much_smaller_values_at_one_place_and_larger_ones_at_another():
    (changed,) = change("stretched", [torch.randn(64, 1024)], 3)
    assert bool(((changed.abs() < 0.005).sum(1) >= 256 - 64).all()), "for whole tiles of rows"
    larger = changed.abs() > 5
    assert int(larger.any(1).sum()) > 24, "some may lie among the smaller ones"
    assert len({int(row.float().argmax()) for row in larger}) > 8, "not at one place in all rows"


@pytest.mark.parametrize("shape", [(9,), (1, 9), (3, 5, 9)])
def test_the_last_of_all_values_outweighs_its_row_so_that_a_rest_left_out_shows(shape):
    for seed in range(8):
        (changed,) = change("spikes", [torch.randn(shape)], seed)
        row = changed.view(-1, 9)[-1]
        assert float(row[-1]) > float(row[:-1].abs().max())


@pytest.mark.parametrize("shape", [(9,), (1, 9), (3, 5, 9)])
def test_the_first_of_all_values_is_a_good_part_of_its_row_so_that_a_loop_from_the_second_on_shows(shape):
    for seed in range(8):
        (changed,) = change("spikes", [torch.randn(shape)], seed)
        row = changed.view(-1, 9)[0].abs()
        assert float(row[0]) > 0.1 * float(row.sum())


def test_what_outweighs_a_row_remains_where_two_inputs_are_subtracted():
    for seed in range(8):
        left, right = change("spikes", [torch.randn(64, 512), torch.randn(64, 512)], seed)
        differences = (left - right).abs()
        mean = float(differences[-1].mean())
        assert min(float(differences[0, 0]), float(differences[-1, -1])) > mean / 4


def test_one_value_that_outweighs_a_row_makes_equal_scores_in_half_precision_alone():
    assert (has_ties("spikes"), has_ties("spikes", half=True), has_ties("one_hot")) == (False, True, True)


@pytest.mark.parametrize("step", [nudge, nudge_absolutely])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_nudge_makes_no_probability_larger_than_one(step, sign):
    values = torch.rand(4096).round(decimals=1)
    moved = step(values, sign)
    assert float(moved.max()) <= 1
    assert not torch.equal(moved, values)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_descending_rows_stay_so(name):
    (changed,) = change(name, [torch.randn(4, 17).sort(-1, descending=True).values], 7)
    assert bool((changed.diff(dim=-1) <= 0).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_whole_numbers_stay_whole_and_in_their_range_for_they_may_be_labels(name):
    (changed,) = change(name, [torch.randint(2, 12, (8, 16)).float()], 7)
    assert torch.equal(changed, changed.round())
    assert bool(((changed >= 2) & (changed <= 11)).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_what_is_never_near_zero_becomes_no_zero(name):
    (changed,) = change(name, [torch.rand(8, 16) + 0.5], 7)
    assert bool((changed > 0).all())


def test_zeros_come_where_values_come_near_them():
    (changed,) = change("one_hot", [torch.rand(64, 16)], 7)
    assert bool((changed == 0).any())


def test_complex_values_change_in_size_alone():
    x = torch.randn(8, 8, dtype=torch.complex64)
    (changed,) = change("scaled_up", [x], 7)
    assert torch.equal(changed, x * 32)
    with pytest.raises(NotApplicableError):
        change("one_hot", [x], 7)


@pytest.mark.parametrize(
    "x",
    [
        torch.polar(torch.ones(8, 4), torch.randn(8, 4)),
        torch.nn.functional.normalize(torch.randn(8, 4, dtype=torch.complex64)),
        torch.nn.functional.normalize(torch.randn(64, dtype=torch.complex64), dim=0).view(4, 4, 4),
    ],
    ids=["phases", "directions", "a state"],
)
def test_complex_values_of_length_one_are_left_alone(x):
    with pytest.raises(NotApplicableError):
        change("scaled_up", [x], 7)


@pytest.mark.parametrize("step", [nudge, nudge_absolutely])
def test_a_nudge_can_leave_whole_numbers_and_zeros(step):
    labels, sparse = torch.randint(0, 9, (64,)).float(), torch.relu(torch.randn(64))
    assert torch.equal(step(labels, keeps=True), labels)
    assert torch.equal(step(sparse, keeps=True) == 0, sparse == 0)
    assert not torch.equal(step(sparse, keeps=True), sparse)


@pytest.mark.parametrize("step", [nudge, nudge_absolutely])
def test_a_nudge_moves_both_parts_of_complex_values(step):
    x = torch.randn(64, dtype=torch.complex64)
    moved = torch.view_as_real(step(x)) != torch.view_as_real(x)
    assert bool(moved.any(0).all())


def test_a_nudge_moves_a_small_value_beside_large_ones_by_a_small_share_of_itself():
    x = torch.randn(4096) * torch.logspace(-6, 6, 4096)
    torch.testing.assert_close(nudge_absolutely(x), x, rtol=2**-9, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_nudge_moves_values_of_one_size_by_last_bits_of_it(dtype):
    x = (torch.rand(4096) + 0.5).to(dtype)
    steps = (nudge_absolutely(x).float() - x.float()).abs()
    assert float(steps.max()) < 8 * torch.finfo(dtype).eps * 1.1
    assert bool((steps > 0).float().mean() > 0.9)


@pytest.mark.parametrize("step", [nudge, nudge_absolutely])
def test_a_nudge_passes_one_and_not_zero_where_a_task_takes_more_than_probabilities(step):
    x = torch.zeros(4096)
    x[:2048] = 1
    moved = [step(x, sign, domain=Domain.ANY) for sign in (1, -1)]
    assert float(max(m.max() for m in moved)) > 1
    assert float(min(m.min() for m in moved)) == 0


@pytest.mark.parametrize("shape", [(16, 16), (3, 16, 16), (24, 8), (8, 24)])
def test_a_matrix_of_less_than_full_rank_does_not_take_the_place_of_a_regular_one(shape):
    x = torch.randn(shape)
    for name in ("constant", "one_hot"):
        with pytest.raises(NotApplicableError):
            require_regular([x], change(name, [x], 7))
    for name in ("uniform", "scaled_up", "mixed", "spikes"):
        require_regular([x], change(name, [x], 7))


def test_values_that_are_no_regular_matrices_may_become_any():
    for x in (
        torch.tensor(1.0),
        torch.randn(64),
        torch.randn(8, 1),
        torch.empty(0, 4, 4),
        torch.ones(8, 8),
        torch.eye(4, 8).long(),
    ):
        require_regular([x], [torch.zeros_like(x)])
    with pytest.raises(NotApplicableError):  # beside one that may not
        require_regular([torch.eye(8)], [torch.zeros(8, 8)])


@pytest.mark.parametrize("padding", [torch.zeros(8, 1024), torch.ones(4096)])
def test_values_behind_padding_are_free(padding):
    measured = torch.randn(32 * 1024)
    assert is_free(torch.cat([padding.flatten(), measured]))
    assert not is_free(torch.cat([padding.flatten(), (measured > 0).float()]))
