"""Tests of masks of which whole rows choose nothing, and of labels some of which have no members."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.checks.emptied import EmptyTrial, emptiable, emptied  # noqa: E402
from tests.engine.judge.in_process import case_of  # noqa: E402


def labels(*shape):
    return torch.randint(0, 8, shape)


def test_masks_and_labels_that_come_by_chance_are_found():
    mask = torch.rand(16, 16) < 0.5
    added = torch.zeros(16, 16).masked_fill(mask, float("-inf"))
    inputs = [torch.randn(16, 16), mask, {"labels": labels(256)}, added, mask.float(), labels(2, 64).int()]
    assert emptiable(inputs) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "ordered",
    [
        labels(256).sort().values,
        torch.arange(8).repeat(32)[torch.randperm(256)],
        torch.randperm(256),
        torch.rand(64, 8).topk(2).indices,
        labels(256) - 4,
        labels(32),
        torch.ones(16, 16).tril().bool(),
        torch.randn(256),
    ],
    ids=["sorted", "as many of each", "places", "distinct in rows", "signed", "few", "triangle", "measured"],
)
def test_what_a_kernel_may_rely_on_stays(ordered):
    assert emptiable([ordered]) == []


def test_nothing_is_emptied_whose_counts_are_another_input():
    drawn, mask = labels(256), torch.rand(16, 16) < 0.5
    counts = drawn.bincount(minlength=8)
    assert emptiable([drawn, counts]) == emptiable([drawn, counts.cumsum(0)]) == []
    assert emptiable([mask, mask.sum(-1).float()]) == []
    assert emptiable([mask, torch.full((4,), float("inf"))]) == [0]


def test_a_quarter_of_the_rows_and_of_the_labels_is_emptied_and_the_rest_stays():
    mask, drawn = torch.rand(16, 16) < 0.5, labels(256).to(torch.uint8)
    rows, members = emptied([mask, drawn], [0, 1])
    assert int((~rows.any(-1)).sum()) == 4
    assert torch.equal(rows[rows.any(-1)], mask[rows.any(-1)])
    assert members.dtype == torch.uint8
    assert len(members.unique()) == 6
    assert set(members.tolist()) < set(drawn.tolist())


class Mean(torch.nn.Module):
    def forward(self, x, mask):
        return (x * mask).sum(-1) / mask.sum(-1).clamp(min=1)


class Ratio(Mean):
    def forward(self, x, mask):
        return (x * mask).sum(-1) / mask.sum(-1)


class Best(Mean):
    def forward(self, x, mask):
        return x.masked_fill(mask == 0, -9).argmax(-1)


def asked(model):
    """Return the cases that a trial has the candidate called on."""
    inputs, cases = [torch.rand(16, 16), (torch.rand(16, 16) < 0.5).float()], []
    maker = SimpleNamespace(
        draw=lambda family: inputs,
        from_inputs=lambda name, given, rng: case_of(model, *given, name=name),
        reference=SimpleNamespace(domain=0),
    )
    session = SimpleNamespace(holds=lambda case: True, release_cache=lambda: None)
    trials = SimpleNamespace(
        another_difference=lambda case: cases.append(case) or SimpleNamespace(wrong=3),
        unsteady=lambda case, found: "",
        note=lambda *finding: cases.append(finding),
    )
    EmptyTrial(session, maker, trials).run()
    return cases


def test_what_is_wrong_there_is_a_finding():
    case, (severity, code, text) = asked(Mean())
    assert case.name == "emptied"
    assert (severity, code) == ("audit", "assumes_none_empty")
    assert text.endswith(
        "where inputs[1] leaves rows or labels without members, which the reference takes: 3 elements are wrong"
    )


@pytest.mark.parametrize("model", [Ratio(), Best()])
def test_nothing_is_asked_where_the_reference_gives_no_number_or_a_place(model):
    assert asked(model) == []
