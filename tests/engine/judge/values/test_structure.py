"""Tests of what values have in common: families keep it, and change the rest."""

from dataclasses import dataclass

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.families import FAMILIES, Domain, change  # noqa: E402


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
def test_diagonals_of_one_value_stay_so(name):
    points, correlated = torch.randn(24, 4), torch.corrcoef(torch.randn(16, 32))
    distances, correlated = ((x + x.T) / 2 for x in (torch.cdist(points, points), correlated))
    lower = torch.randn(3, 16, 16).tril(-1) + torch.eye(16)
    own = [distances.fill_diagonal_(0), lower, correlated.fill_diagonal_(1)]
    distances, lower, correlations = change(name, own, 7)
    assert not bool(distances.diagonal().any())
    assert torch.equal(distances, distances.T)
    assert bool((lower.diagonal(dim1=1, dim2=2) == 1).all())
    assert bool((correlations.diagonal() == 1).all())
    assert not int(torch.linalg.cholesky_ex(correlations)[1])


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
def test_parts_of_records_stay_what_they_are(name):
    places, numbers = torch.randn(64, 3), torch.randint(0, 9, (64, 1))
    directions = torch.nn.functional.normalize(torch.randn(64, 4), dim=-1)
    poses, boxes = torch.cat([places, directions], -1), torch.cat([numbers, places, torch.rand(64, 2)], -1)
    turned, sized = change(name, [poses, boxes], 7)
    torch.testing.assert_close(turned[:, 3:].norm(dim=-1), torch.ones(64))
    assert not torch.equal(turned[:, :3], places)
    assert set(sized[:, 0].tolist()) <= set(range(9))
    assert float(sized[:, 4:].min()) >= 0


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_affine_maps_stay_so(name):
    maps = torch.eye(4).repeat(32, 1, 1)
    maps[:, :3] = torch.randn(32, 3, 4)
    rigid = maps.clone()
    rigid[:, :3, :3] = torch.linalg.qr(torch.randn(32, 3, 3))[0]
    for before, after in zip([maps, rigid], change(name, [maps, rigid], 7), strict=True):
        assert torch.equal(after[:, 3], maps[:, 3])
        assert not torch.equal(before, after)
    turns = after[:, :3, :3]
    torch.testing.assert_close(turns @ turns.transpose(1, 2), torch.eye(3).expand(32, 3, 3))


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_draws_that_are_held_against_probabilities_stay_within_their_range(name):
    shares, accepted, chosen = torch.randn(8, 4, 32).softmax(-1), torch.rand(8, 4), torch.rand(8)
    own = [torch.randint(32, (8, 4)), shares, accepted, chosen, torch.rand(8, 4, 2)]
    changed = change(name, own, 7)
    for before, after in zip(own[2:4], changed[2:4], strict=True):
        assert float(before.min()) <= float(after.min())
        assert float(after.max()) <= float(before.max())
    if name == "scaled_up":
        assert float(changed[4].max()) > 1
        assert float(change(name, own[2:], 7)[0].max()) > 1


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_values_that_are_never_positive_stay_so_and_change_as_others_do(name):
    own = -torch.rand(8, 16)
    negative, far_from_zero = change(name, [own, own - 1], 7)
    assert float(negative.max()) <= 0
    assert float(far_from_zero.max()) < 0
    torch.testing.assert_close(negative, -change(name, [-own, 1 - own], 7)[0])


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
    features = torch.nn.functional.normalize(torch.randn(2, 8, 5, 5), dim=1)
    ordered, units, normalised = change(name, [boundaries, directions, features], 7)
    assert bool((ordered.diff(dim=-1) >= 0).all())
    torch.testing.assert_close(units.norm(dim=-1), torch.ones(64))
    torch.testing.assert_close(normalised.norm(dim=1), torch.ones(2, 5, 5))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_rounds_what_values_have_in_common(dtype):
    turned = torch.linalg.qr(torch.randn(32, 3, 3))[0].to(dtype)
    own = [turned, torch.randn(64, 8).softmax(-1).to(dtype), torch.linspace(0, 1, 65).to(dtype)]
    turned, shares, grid = (x.float() for x in change("uniform", own, 7))
    torch.testing.assert_close(
        turned @ turned.transpose(1, 2), torch.eye(3).expand(32, 3, 3), atol=0.02, rtol=0
    )
    torch.testing.assert_close(shares.sum(-1), torch.ones(64), atol=0.02, rtol=0)
    assert float((grid.diff() - grid.diff().mean()).abs().max()) < 2 * torch.finfo(dtype).eps


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_no_structure_leads_beyond_the_range_of_a_tasks_own_values(name):
    x = torch.randn(4, 8, 8)
    own = [torch.randn(8, 16), torch.randn(64, 16).softmax(-1), x @ x.transpose(1, 2) / 8 + torch.eye(8)]
    for before, after in zip(own, change(name, own, 7, domain=Domain.OWN), strict=True):
        assert float(before.min()) <= float(after.min())
        assert float(after.max()) <= float(before.max())
