"""Tests that value families stay within a task's valid inputs."""

from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.families import (  # noqa: E402
    FAMILIES,
    Domain,
    NotApplicableError,
    change,
    has_ties,
    nudge,
    nudge_absolutely,
    require_regular,
)
from eval_app.engine.judge.structure import is_free  # noqa: E402


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_family_keeps_shape_and_type_and_changes_values(name):
    x = torch.randn(8, 16)
    (changed,) = change(name, [x], 7)
    assert changed.shape == x.shape
    assert changed.dtype == x.dtype
    assert not torch.equal(changed, x)


MASK = torch.rand(32, 64, generator=torch.Generator().manual_seed(5)) < 0.5


@pytest.mark.parametrize("mask", [MASK, MASK.float(), MASK.bfloat16()])
def test_masks_hold_more_ones_in_one_family(mask):
    mask[0, 1:], mask[0, 0] = 1, 0
    (changed,) = change("mixed", [mask], 7)
    assert changed.dtype == mask.dtype
    assert bool((changed >= mask).all())
    assert float(changed.float().mean()) > 0.9
    assert bool((changed == 0).any(-1).all())
    with pytest.raises(NotApplicableError):
        change("uniform", [mask], 7)


@pytest.mark.parametrize(
    "values",
    [
        MASK[:, :32] & MASK[:, :32].T, torch.eye(8)[torch.randint(8, (32,))], torch.ones(16, 16).tril() > 0,
        torch.arange(64) < torch.randint(1, 64, (32, 1)), torch.ones(32, 64), MASK.long(), MASK[:4, :4],
        torch.ones(32, 64).masked_fill(MASK, float("-inf")),
    ],
)  # fmt: skip
def test_patterns_labels_and_padding_are_no_masks(values):
    with pytest.raises(NotApplicableError):
        change("mixed", [values], 7)


def test_the_fields_of_a_dataclass_change():
    @dataclass
    class Batch:
        x: torch.Tensor
        labels: torch.Tensor

    batch = Batch(torch.randn(8, 4), torch.randint(0, 5, (8,)))
    (changed,) = change("uniform", [batch], 7)
    assert not torch.equal(changed["x"], batch.x)
    assert torch.equal(changed["labels"], batch.labels)


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


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_probabilities_sum_to_one_in_every_family(name):
    own = torch.randn(64, 16).softmax(-1)
    shares, logarithms, half = change(name, [own, own.log(), own.half()], 7)
    for changed in (shares, logarithms.exp(), half.float()):
        assert bool(((changed.sum(-1) - 1).abs() < 2e-3).all())
    assert bool((shares > 0).all())
    assert half.dtype == torch.float16


def test_families_lead_to_larger_probabilities_than_the_tasks_own():
    own = torch.randn(64, 16).softmax(-1)
    largest = [float(change(name, [own], 7)[0].max()) for name in ("one_hot", "spikes")]
    assert float(own.max()) < 0.9 < max(largest)


def test_only_the_free_inputs_change():
    labels = torch.randint(0, 5, (8,))
    changed = change("uniform", {"x": torch.randn(8, 4), "labels": labels}, 7)
    assert torch.equal(changed["labels"], labels)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_triangular_and_symmetric_matrices_stay_so(name):
    x = torch.randn(3, 16, 16)
    upper, lower, symmetric = change(name, [x.triu(), x.tril(), x + x.transpose(-1, -2)], 7)
    assert torch.equal(upper, upper.triu())
    assert torch.equal(lower, lower.tril())
    assert torch.equal(symmetric, symmetric.transpose(-1, -2))


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("sign", [1, -1])
def test_bounds_and_corners_stay_in_order(name, sign):
    low, corners = sign * torch.randn(8, 16), torch.randn(16, 2)
    boxes = torch.cat([corners, corners + torch.rand(16, 2)], -1)
    left, _, right, changed = change(
        name, [low, torch.randn(8, 16), low + sign * torch.rand(8, 16), boxes], 7
    )
    assert bool((sign * left <= sign * right).all())
    assert bool((changed[:, :2] <= changed[:, 2:]).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_definite_and_orthogonal_matrices_stay_so(name):
    x = torch.randn(4, 8, 8)
    definite, turned = x @ x.transpose(1, 2) / 8 + torch.eye(8), torch.linalg.qr(x)[0]
    rotations = turned * torch.linalg.det(turned).sign()[:, None, None].expand(4, 8, 1).where(
        torch.arange(8) < 1, 1
    )
    definite, turned, rotations = change(name, [definite, turned, rotations], 7)
    assert not int(torch.linalg.cholesky_ex(definite)[1].max())
    assert float(torch.linalg.cond(definite).max()) < 1000
    for matrices in (turned, rotations):
        torch.testing.assert_close(matrices @ matrices.transpose(1, 2), torch.eye(8).expand(4, 8, 8))
    assert bool((torch.linalg.det(rotations) > 0).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_infinities_and_padding_stay_in_their_places(name):
    masked = torch.randn(64, 16).masked_fill(torch.rand(64, 16) < 0.2, float("-inf"))
    missing = torch.randn(64, 16).masked_fill(torch.rand(64, 16) < 0.2, float("nan"))
    padded = torch.randn(8, 16, 4) * (torch.arange(16) < torch.randint(4, 13, (8, 1)))[..., None]
    blocks, sparse = torch.block_diag(*torch.randn(4, 8, 8)), torch.randn(64, 64).relu()
    own = [masked, missing, padded, blocks, sparse]
    changed = change(name, own, 7)
    assert torch.equal(changed[0].isneginf(), masked.isneginf())
    assert torch.equal(changed[1].isnan(), missing.isnan())
    assert not changed[2][padded == 0].any()
    assert not changed[3][blocks == 0].any()
    assert not any(torch.equal(x, y) for x, y in zip(own[:4], changed, strict=False))
    assert name not in ("uniform", "integers") or bool(changed[4][sparse == 0].any())  # zeros here and there


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_order_probabilities_and_signs_stay_along_any_dimension(name):
    x = torch.randn(6, 6)
    steps, shares, turned = change(
        name, [torch.rand(64, 8).sort(0).values, torch.randn(4, 5, 3).softmax(1), x - x.T], 7
    )
    assert bool((steps.diff(dim=0) >= 0).all())
    torch.testing.assert_close(shares.sum(1), torch.ones(4, 3))
    assert torch.equal(turned.T, -turned)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_grids_stay_evenly_spaced(name):
    grid, falling = torch.linspace(0, 1, 33), torch.linspace(3, -1, 9).repeat(4, 1) + torch.randn(4, 1)
    for own, changed in zip([grid, falling], change(name, [grid, falling], 7), strict=True):
        steps = changed.diff(dim=-1)
        torch.testing.assert_close(steps, steps[..., :1].expand_as(steps), rtol=1e-3, atol=1e-5)
        assert bool((steps.sign() == own.diff(dim=-1).sign()).all())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_rows_in_order_and_rows_of_length_one_stay_so(name):
    boundaries, directions = torch.randn(4, 17).sort(-1).values, torch.randn(64, 4)
    directions = directions / directions.norm(dim=-1, keepdim=True)
    ordered, units = change(name, [boundaries, directions], 7)
    assert bool((ordered.diff(dim=-1) >= 0).all())
    lengths = units.norm(dim=-1)
    assert bool((((lengths - 1).abs() < 1e-5) | (lengths == 0)).all())


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


@pytest.mark.parametrize("padding", [torch.zeros(8, 1024), torch.ones(4096)])
def test_values_behind_padding_are_free(padding):
    measured = torch.randn(32 * 1024)
    assert is_free(torch.cat([padding.flatten(), measured]))
    assert not is_free(torch.cat([padding.flatten(), (measured > 0).float()]))
