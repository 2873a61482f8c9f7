"""Tests that families move integers of a wide range, and none on whose order or place a kernel may rely."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.families import FAMILIES, Domain, NotApplicableError, change  # noqa: E402
from eval_app.engine.judge.values.integers import FAMILIES as OF_INTEGERS  # noqa: E402


def image(*shape):
    return torch.randint(0, 256, shape, dtype=torch.uint8)


@pytest.mark.parametrize("name", sorted(OF_INTEGERS))
@pytest.mark.parametrize(
    "own",
    [
        image(4, 32, 32, 3), image(4096), torch.randint(-128, 128, (48, 64), dtype=torch.int8),
        torch.randint(-1000, 1000, (64, 64)), torch.randint(-(2**31), 2**31, (512, 64)).int() // 2**16,
        (torch.rand(8, 1, 1) * 200 + torch.rand(8, 64, 64) * 12).to(torch.uint8),
        (torch.tensor([10, 50, 90, 70]).view(4, 1, 1) + torch.rand(4, 64, 64) * 12).to(torch.uint8),
        torch.randint(0, 2**16, (256, 256)).to(torch.uint16),
    ],
)  # fmt: skip
def test_wide_integers_change_places_alone(name, own):
    (changed,) = change(name, [own], 7)
    assert changed.dtype == own.dtype
    assert not torch.equal(changed, own)
    assert torch.equal(changed.long().flatten().sort().values, own.long().flatten().sort().values)


def test_larger_values_move_wherever_they_are_already():
    brightness = torch.tensor([10, 20, 180, 190, 15, 25, 170, 200]).view(8, 1, 1)
    for own in (brightness, brightness.flip(0), brightness.roll(2, 0)):
        own = (own + torch.rand(8, 64, 64) * 12).to(torch.uint8)
        (changed,) = change("mixed", [own], 7)
        moved = (changed.double().mean((1, 2)) - own.double().mean((1, 2))).abs()
        assert float(moved.mean()) > 30


def test_rows_hold_other_values_than_the_rest():
    (changed,) = change("spikes", [image(8, 256, 256)], 7)
    rows = changed.view(8, -1, 8, 256).float()
    for row in range(8):
        kept = rows[:, :, [n for n in range(8) if n != row]]
        assert float((kept.mean((1, 2, 3)) / rows.mean((1, 2, 3)) - 1).abs().max()) > 0.01


@pytest.mark.parametrize("name", sorted(OF_INTEGERS))
def test_padding_stays_in_its_place(name):
    own = image(64, 64).clamp_min(1).masked_fill(torch.arange(64) > torch.randint(8, 64, (64, 1)), 0)
    (changed,) = change(name, [own], 7)
    assert torch.equal(changed == 0, own == 0)
    assert not torch.equal(changed, own)


STAY = {torch.int16, torch.int64, torch.uint16, torch.uint32, torch.uint64}
RANGE = torch.arange(1024)
LABELS, SCORES = torch.randint(0, 1000, (4096,)).short(), torch.randn(64, 1000)
SQUARE = torch.randint(-500, 500, (64, 64))


@pytest.mark.parametrize(
    "inputs",
    [
        [torch.randint(0, 10, (512,), dtype=torch.uint8)],
        [torch.randint(0, 32000, (32, 64))],
        [torch.randint(2**40, 2**60, (64, 96))],
        [torch.randint(0, 2**20, (64, 96)).to(torch.uint32)], [torch.randint(-9, 99, (64, 96)).to(torch.uint64)],
        [torch.randperm(1024).to(torch.uint16)], [LABELS.to(torch.uint16), SCORES],
        [torch.randperm(1024).short()],
        [torch.stack([torch.randperm(256) for _ in range(16)]).to(torch.uint8)],
        [torch.stack([torch.randperm(200) for _ in range(16)]).sub(1).clamp_max(150).short()],
        [(RANGE - 500).short()],
        [torch.randint(-500, 500, (32, 64)).sort(0).values],
        [torch.randint(-500, 500, (128, 8)).sort(1).values.flatten()],
        [torch.stack([RANGE - 500, torch.randint(-500, 500, (1024,))])],
        [torch.stack([torch.randint(-90, 90, (1024,)), torch.randint(-9, 9, (1024,))], 1)],
        [torch.randint(-500, 500, (512, 2)).sort(-1).values],
        [SQUARE + SQUARE.T], [SQUARE.triu()], [SQUARE.clone().fill_diagonal_(0)],
        [torch.randint(-500, 500, (1, 64)).repeat(32, 1)],
        [SQUARE - SQUARE.roll(1, 1)],
        [LABELS, SCORES],
        [SQUARE, SQUARE + torch.randint(0, 9, (64, 64))],
        [torch.randint(0, 2, (64, 64)).bool()],
        *([[image(64, 64).view(torch.float4_e2m1fn_x2)]] if hasattr(torch, "float4_e2m1fn_x2") else []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", sorted(OF_INTEGERS))
def test_labels_places_and_names_and_values_in_order_stay(name, inputs):
    try:
        changed = change(name, inputs, 7)
    except NotApplicableError:
        return
    pairs = zip(changed, inputs, strict=True)
    assert all(torch.equal(x, y) for x, y in pairs if x.dtype in STAY)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_within_the_range_of_their_own_integers_stay(name):
    with pytest.raises(NotApplicableError):
        change(name, [image(64, 64)], 7, domain=Domain.OWN)
