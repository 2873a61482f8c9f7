"""Tests of masks: families choose more with them, in some places alone too, and leave patterns as they are."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.families import NotApplicableError, change  # noqa: E402

MASK = torch.rand(32, 64, generator=torch.Generator().manual_seed(5)) < 0.5
ADDED = torch.zeros(32, 64).masked_fill(~MASK, float("-inf"))
PADDED = torch.arange(64) < torch.randint(1, 64, (32, 1))
MASKS = [
    MASK, MASK.float(), MASK.bfloat16(), MASK.to(torch.float8_e4m3fn), MASK.long(), MASK.to(torch.uint8),
    MASK.to(torch.uint16), ADDED, ADDED.half(), ADDED.clamp(min=torch.finfo(torch.float32).min), ADDED + 1,
]  # fmt: skip


def left_out(mask):
    """Return which elements a mask leaves out."""
    wide = mask.double()
    return wide == wide.min()


@pytest.mark.parametrize("mask", MASKS)
def test_masks_choose_more_in_one_family(mask):
    mask = mask.clone()
    mask[0, 1:], mask[0, 0] = mask.double().max().to(mask.dtype), mask.double().min().to(mask.dtype)
    (changed,) = change("mixed", [mask], 7)
    assert changed.dtype == mask.dtype
    assert not bool((left_out(changed) & ~left_out(mask)).any())
    assert float(left_out(changed).float().mean()) < 0.1
    assert bool(left_out(changed).any(-1).all())
    with pytest.raises(NotApplicableError):
        change("uniform", [mask], 7)


@pytest.mark.parametrize("name", ["spikes", "stretched"])
@pytest.mark.parametrize("mask", [MASK, MASK.long(), ADDED])
def test_masks_choose_more_in_slices_and_stretches_of_rows(mask, name):
    (changed,) = change(name, [mask], 7)
    shares = (~left_out(changed)).float().mean(-1).sort().values
    assert float(shares[:16].mean()) < 0.75
    assert float(shares[-8:].mean()) > 0.85


@pytest.mark.parametrize(
    "values",
    [
        MASK[:, :32] & MASK[:, :32].T, torch.eye(8)[torch.randint(8, (32,))], torch.ones(16, 16).tril() > 0,
        MASK[:, :32].tril(), PADDED, PADDED.long(), torch.zeros(32, 64).masked_fill(~PADDED, float("-inf")),
        torch.full((32, 32), float("-inf")).triu(1), torch.ones(32, 64), MASK[:4, :4],
        torch.ones(32, 64).masked_fill(MASK, float("nan")), torch.where(MASK, 3, 5), torch.where(MASK, 0.0, -1.0),
        torch.arange(512) < torch.tensor([512, 512, 510, 511])[:, None],
    ],
)  # fmt: skip
def test_patterns_labels_and_padding_are_no_masks(values):
    for name in ("mixed", "spikes", "stretched"):
        with pytest.raises(NotApplicableError):
            change(name, [values], 7)


def test_as_many_chosen_in_each_column_are_the_places_of_an_expert():
    chosen = torch.randn(64, 8).topk(2).indices
    experts = torch.nn.functional.one_hot(chosen, 8).sum(1).t().bool()
    with pytest.raises(NotApplicableError):
        change("mixed", [experts], 7)


def test_a_mask_that_repeats_in_each_row_still_does():
    (changed,) = change("mixed", [MASK.repeat(1, 2)], 7)
    assert torch.equal(changed[:, :64], changed[:, 64:])
    assert not torch.equal(changed[:, :64], MASK)


@pytest.mark.parametrize("name", ["float8_e8m0fnu", "float4_e2m1fn_x2"])
def test_dtypes_that_torch_does_not_compute_with_are_left_alone_beside_masks(name):
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    scales = torch.full((64,), 127, dtype=torch.uint8).view(getattr(torch, name))
    mask, kept = change("mixed", [MASK, scales], 7)
    assert torch.equal(kept.view(torch.uint8), scales.view(torch.uint8))
    assert not torch.equal(mask, MASK)
