"""Tests that places among equal scores are found to be ambiguous, and only those."""

from itertools import islice

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.neighbours import neighbours  # noqa: E402
from eval_app.engine.judge.last_bits.ties import ChoicesWatched, TiesBroken, are_moved  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.shared.trees import flatten  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402

SCORES = torch.randn(64, 16)


@pytest.mark.parametrize("choose", [lambda x: x.topk(2), lambda x: x.max(dim=-1), lambda x: x.sort(dim=-1)])
@pytest.mark.parametrize(("scores", "moved"), [(torch.sigmoid(SCORES * 1000), True), (SCORES, False)])
def test_equal_scores_are_chosen_among_at_random_and_others_stay_in_order(choose, scores, moved):
    own = choose(scores)
    with TiesBroken():
        again = choose(scores)
    assert torch.equal(own[0], again[0]), "the values are the same"
    assert again[0].dtype is scores.dtype
    assert are_moved(own, again) is moved


def test_random_numbers_stay_as_they_are():
    torch.manual_seed(3)
    wanted = torch.rand(4)
    torch.manual_seed(3)
    with TiesBroken():
        SCORES.argmax(dim=-1)
        assert torch.equal(torch.rand(4), wanted)


def test_other_runs_of_the_reference_lead_to_each_of_the_scores_that_no_last_bit_tells_apart():
    logits = torch.randn(64, 8)
    logits[17] = torch.tensor([40.0, 30.0, 50.0, 1.0, 60.0, 2.0, 3.0, 4.0])

    class Best(torch.nn.Module):
        def forward(self, x):
            return torch.sigmoid(x).argmax(-1)

    tensors = []
    tree = flatten([logits], tensors, "inputs")
    case = Case("stretched", tree, tensors, tensors, [], [Best()(logits)], 1, 1.0, 0.0)
    reached = {int(run.tensors[0][17]) for run in islice(neighbours(Best(), case), 100)}
    assert reached == {0, 1, 2, 4}


@pytest.mark.parametrize(
    "choose",
    [
        lambda x: (x > 0).float().argmax(-1),
        lambda x: torch.relu(x - 100).argmax(-1),
        lambda x: torch.sigmoid(x * 30).sort(dim=-1, stable=True).indices,
    ],
    ids=["the first that fits", "of nothing but zeros", "a stable sort"],
)
def test_where_the_first_of_equal_scores_is_meant_it_stays(choose):
    own = choose(SCORES)
    with TiesBroken(half=True, rounded=True):
        assert torch.equal(choose(SCORES), own)
    with TiesBroken(half=True):
        assert not torch.equal(choose(SCORES), own)


def test_what_lies_behind_equal_scores_is_right_in_another_order_and_wrong_by_anything_else():
    x, behind = torch.tensor([[1.0, -1.0]]).repeat(4096, 1), torch.tensor([[3.0, -1.0]]).repeat(4096, 1)
    x[7] = 1.0

    def chosen(x, behind):
        return behind.gather(1, ((x > 0) + 0.5).argsort(-1))

    def swapped(by):
        def change(truth):
            truth[7] = truth[7].flip(0) * by
            return truth

        return change

    assert reviewed(chosen, [x, behind], swapped(1.0)).wrong == 0
    assert reviewed(chosen, [x, behind], swapped(0.9)).wrong == 2


@pytest.mark.parametrize(
    ("function", "are_settled"),
    [
        (lambda x: x.argsort(dim=-1, stable=True), True),
        (lambda x: torch.searchsorted(x.sort(dim=-1, stable=True).values, x), True),
        (lambda x: x.argsort(-1), False),
        (lambda x: x.topk(3).indices.argsort(dim=-1, stable=True), False),
        (lambda x: torch.cummax(x, -1).indices, False),
        (lambda x: (x > 0).nonzero(), False),
    ],
)
def test_places_are_settled_by_a_stable_sort_or_a_search_with_no_choice_beside_them(function, are_settled):
    watched = ChoicesWatched()
    with watched:
        function(torch.randn(4, 16))
    assert watched.are_settled == are_settled


@pytest.mark.parametrize(
    ("function", "are_compared"),
    [
        (lambda x: x > 0, True),
        (lambda x: (x > 0).sum(-1), True),
        (lambda x: (x > 0).long() * 3, True),
        (lambda x: (x * 100).long(), False),
        (lambda x: torch.zeros(4, 16, dtype=torch.int32).copy_(x), False),
        (lambda x: torch.histc(x, 10).sum(), False),
        (lambda x: (x > 0).nonzero(), False),
        (lambda x: x.argmax(-1), False),
        (lambda x: x.argsort(dim=-1, stable=True), False),
    ],
)
def test_integers_come_of_comparisons_where_nothing_is_chosen_binned_or_converted(function, are_compared):
    watched = ChoicesWatched()
    with watched:
        function(torch.randn(4, 16))
    assert watched.are_compared == are_compared
