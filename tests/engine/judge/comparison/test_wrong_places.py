"""Tests of where elements are wrong."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison import wrong_places  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare, list_wrong  # noqa: E402

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def test_a_comparison_keeps_where_elements_are_wrong_and_by_how_much():
    truth = torch.zeros(4, 8)
    got = truth.clone()
    got[1, 2], got[3, 7] = 2.0, float("nan")
    difference = compare(got, truth, KERNELBENCH)
    assert difference.elements.places.tolist() == [10, 31]
    assert difference.elements.gaps.tolist() == [2.0, float("inf")]
    flags = torch.zeros(32, dtype=torch.bool)
    flags[10] = True
    assert list_wrong(flags, got, truth, "output", difference).elements.places.tolist() == [10]


def test_places_of_later_chunks_count_from_the_first(monkeypatch):
    monkeypatch.setattr("eval_app.engine.judge.comparison.compare.CHUNK_ELEMENTS", 8)
    truth = torch.zeros(20)
    difference = compare(truth + (torch.arange(20) % 10 == 9), truth, KERNELBENCH)
    assert difference.elements.places.tolist() == [9, 19]


def test_of_very_many_wrong_elements_some_are_drawn(monkeypatch):
    monkeypatch.setattr(wrong_places, "_KEPT", 16)
    elements = compare(torch.ones(100), torch.zeros(100), KERNELBENCH).elements
    assert elements.places.shape == elements.gaps.shape == (16,)


def test_an_element_of_a_later_chunk_has_its_index_in_the_whole():
    truth = torch.zeros(4, 8)
    assert wrong_places.Place("output", truth, 8).index(3) == [1, 3]
    assert wrong_places.Place("output", truth.to(torch.complex64), 32).index(3) == [2, 1, 1]
