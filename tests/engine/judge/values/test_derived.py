"""Tests of inputs that are computed from others: families leave both as they are, and change the rest."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.derived import of_angles  # noqa: E402
from eval_app.engine.judge.values.families import FAMILIES, NotApplicableError, change  # noqa: E402
from eval_app.engine.judge.values.structure import Structures  # noqa: E402

MASK = torch.rand(32, 64, generator=torch.Generator().manual_seed(5)) < 0.5
X = torch.randn(64, 512, generator=torch.Generator().manual_seed(6)) * 2 + 1


@pytest.mark.parametrize(
    "counts", [MASK.sum(-1), MASK.sum(0), MASK.sum(-1, keepdim=True).float(), MASK.sum().int()],
)  # fmt: skip
@pytest.mark.parametrize("mask", [MASK, MASK.long(), torch.zeros(32, 64).masked_fill(~MASK, float("-inf"))])
def test_a_mask_stays_beside_its_counts(mask, counts):
    with pytest.raises(NotApplicableError):
        change("mixed", [mask, counts], 7)
    assert not torch.equal(change("mixed", [mask, torch.zeros_like(counts)], 7)[0].double(), mask.double())


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_rows_stay_beside_their_mean_and_deviation(name):
    mean, rstd = X.mean(-1, keepdim=True), (X.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
    grad, *rest = change(name, [torch.randn(64, 512), X, mean, rstd], 7)
    assert all(torch.equal(a, b) for a, b in zip(rest, (X, mean, rstd), strict=True))
    assert grad.isfinite().all()


@pytest.mark.parametrize(
    ("x", "statistic"),
    [
        (X, X.sum(0)), (X, X.amax(-1)), (X, X.abs().amax(-1, keepdim=True) / 127), (X, X.logsumexp(-1)),
        (X, (X.square().mean(-1) + 1e-6).rsqrt()), (X.bfloat16(), X.mean(-1).bfloat16()),
        (X.view(8, 16, 16, 16), X.view(8, 16, -1).mean((0, 2))), (X.view(8, 16, 16, 16), X.view(8, 4, -1).std(-1)),
    ],
)  # fmt: skip
def test_what_other_inputs_hold_of_rows_is_found(x, statistic):
    with pytest.raises(NotApplicableError):
        change("scaled_up", [x, statistic], 7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_cosines_stay_beside_sines(name, dtype):
    angles = torch.arange(64.0)[:, None] * 10_000 ** (-torch.arange(32) / 32)
    tables = [angles.cos().to(dtype), angles.sin().to(dtype)]
    _, *rest = change(name, [torch.randn(4, 64), *tables], 7)
    assert all(torch.equal(a, b) for a, b in zip(rest, tables, strict=True))


def test_a_mask_beside_what_it_leaves_out_holds_no_angles():
    mask = (X > 1).float()
    assert of_angles([X, mask, 1 - mask]) == []


@pytest.mark.parametrize(
    "other",
    [
        torch.randn(64),
        torch.rand(512),
        torch.randn(64, 1).exp(),
        torch.zeros(64),
        torch.ones(512),
        torch.arange(64.0),
    ],
)
def test_other_inputs_of_the_same_sizes_leave_rows_free(other):
    changed, _ = change("scaled_up", [X, other], 7)
    assert torch.equal(changed, X * 32)


def test_what_stays_is_not_put_in_the_order_that_it_had_in_another_draw_by_chance():
    """Means are above deviations in most draws, and one below its own was exchanged with it."""
    structures, kept = Structures(), []
    for lowest in (2.0, -1.0):
        x = torch.randn(64, 256) / 4 + 2
        x[5] += lowest - 2
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        own = [torch.randn(64, 256), x, mean, deviation]
        changed = change("scaled_up", own, 7, structures=structures)
        assert not torch.equal(changed[0], own[0])
        kept.append(all(map(torch.equal, changed[1:], own[1:])))
    assert kept == [True, True]
