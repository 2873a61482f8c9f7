"""Tests of outputs that are places: among equal values any of them is right."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison import pointing  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402
from eval_app.engine.judge.comparison.pointing import is_held, points_to_the_same, repeats_anew  # noqa: E402
from eval_app.engine.judge.last_bits.honest_error import HonestError  # noqa: E402
from eval_app.engine.judge.last_bits.neighbours import Neighbour  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402

X = torch.tensor([[5.0, 7.0, 7.0, 1.0, 2.0], [3.0, 0.0, 9.0, 4.0, 9.0]])


def test_of_equal_maxima_either_place_is_right():
    assert points_to_the_same(torch.tensor([2, 4]), torch.tensor([1, 2]), [X])


def test_a_place_of_another_value_is_wrong():
    assert not points_to_the_same(torch.tensor([0, 4]), torch.tensor([1, 2]), [X])


def test_places_of_the_largest_values_may_change_among_equals():
    assert points_to_the_same(torch.tensor([[2, 1], [4, 2]]), torch.tensor([[1, 2], [2, 4]]), [X])


def test_one_place_twice_is_wrong():
    assert not points_to_the_same(torch.tensor([[1, 1], [2, 4]]), torch.tensor([[1, 2], [2, 4]]), [X])


def test_an_input_whose_rows_are_each_of_one_value_explains_nothing():
    rows = torch.randn(2, 1).expand(2, 5)
    assert not points_to_the_same(torch.tensor([0, 4]), torch.tensor([1, 2]), [X, rows])
    assert points_to_the_same(torch.tensor([2, 4]), torch.tensor([1, 2]), [rows, X])


@pytest.mark.parametrize("place", [-1, 5])
def test_a_place_outside_the_input_is_wrong(place):
    assert not points_to_the_same(torch.tensor([place, 2]), torch.tensor([1, 2]), [X])


def test_places_that_change_after_they_were_looked_at_are_not_used(monkeypatch):
    got = torch.tensor([2, 4])

    def change_then_answer(places, dim):
        got.fill_(2**40)
        return False

    monkeypatch.setattr(pointing, "_repeats", change_then_answer)
    assert points_to_the_same(got, torch.tensor([1, 2]), [X])


def test_a_mask_explains_nothing_because_all_its_values_are_equal():
    assert not points_to_the_same(torch.tensor([0, 4]), torch.tensor([1, 2]), [torch.ones(2, 5)])


# Labels from 0 to 3: any label is found at a quarter of all places.
LABELS = torch.tensor([[3, 1, 3, 2, 0], [1, 1, 0, 2, 2]])
LARGEST, AT = torch.tensor([[3, 3], [2, 2]]), torch.tensor([[0, 2], [3, 4]])


def test_equal_labels_are_told_apart_by_nothing_where_the_task_gives_them_out_too():
    assert points_to_the_same(AT.flip(1), AT, [LABELS], [LARGEST, AT])


@pytest.mark.parametrize("outputs", [[AT], [LARGEST.flip(0), AT]], ids=["none", "others"])
def test_places_in_labels_that_the_task_does_not_give_out_are_compared_as_numbers(outputs):
    assert not points_to_the_same(AT.flip(1), AT, [LABELS], outputs)


SCORES, RANKED = torch.tensor([[2.0, 2.0], [3.0, 1.0]]), torch.tensor([[4, 6], [0, 5]])


@pytest.mark.parametrize(
    ("got", "at", "held"),
    [(6, 0, True), (5, 0, False), (5, 2, False), (1, 1, False)],
    ids=["equal score", "another row", "lower score", "no place of the row"],
)
def test_a_place_is_held_by_its_row_with_the_score_that_is_wanted(got, at, held):
    assert is_held(torch.tensor([got]), torch.tensor([at]), RANKED, SCORES, SCORES).tolist() == [held]


def test_what_repeats_along_a_dimension_is_no_row():
    places, scores = torch.tensor([[7, 1], [7, 2], [1, 7]]), torch.full((3, 2), 2.0)
    assert not is_held(torch.tensor([2]), torch.tensor([1]), places, scores, scores).item()


def test_a_place_that_is_given_out_twice_is_noticed():
    assert repeats_anew(torch.tensor([[4, 4], [0, 5]]), RANKED)
    assert not repeats_anew(RANKED.flip(1), RANKED)


def test_a_place_that_last_bits_seldom_lead_to_is_right_and_a_number_reached_as_late_is_not():
    tolerance = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)
    places, numbers = torch.zeros(64, dtype=torch.int64), torch.zeros(64)
    got = [tensor.clone() for tensor in (places, numbers)]
    for tensor in got:
        tensor[3] = 1
    case = Case("natural", [], [], [], [], [places, numbers], 1, 1.0, 0.0)
    runs = [Neighbour([places, numbers], [])] * 60 + [Neighbour(got, [])]
    found = [
        ("output", g, truth, compare(g, truth, tolerance)) for g, truth in zip(got, case.truth, strict=True)
    ]
    outputs = HonestError(lambda case, keeping: iter(runs)).review(case, found, tolerance)
    assert [difference.wrong for *_, difference in outputs] == [0, 1]
