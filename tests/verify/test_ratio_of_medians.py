"""Tests of a speedup beside medians whose ratio is another number: the page says so, and why."""

import pytest

from eval_app.pages.timing_view import Times
from tests.verify import reports
from tests.verify.test_evidence import page_of, verified


def timing(kernel_ms, **speedup):
    data = reports.full("x")["timing"]
    for side, middle in ((data["candidate"], kernel_ms), (data["baselines"]["eager"], 0.23)):
        side |= {"median_ms": middle, "p10_ms": middle, "p90_ms": middle}
    return data | {"speedup": speedup}


@pytest.mark.parametrize(
    ("kernel_ms", "speedup", "expected"),
    [
        (0.1, {"median": 3.21, "low": 2.9, "high": 3.5}, 2.3),
        (0.1, {"median": 3.21, "low": 1.0, "high": 4.5}, 2.3),
        (0.1, {"median": 2.36, "low": 2.35, "high": 2.37}, None),
    ],
    ids=["outside the interval", "inside a wide one", "hardly differs"],
)
def test_the_ratio_of_the_medians_is_named_where_it_contradicts_the_speedup(kernel_ms, speedup, expected):
    found = Times(timing(kernel_ms, **speedup)).ratio_of_medians
    assert found == (expected and pytest.approx(expected))


@pytest.mark.django_db
def test_a_page_explains_a_speedup_that_its_medians_contradict(reader):
    contradicted = verified(lambda pk: reports.full(pk, timing=timing(0.1, median=3.21, low=2.9, high=3.5)))
    explained = "The two medians alone would give 2.30×"
    assert explained in page_of(reader, contradicted)
    assert "The two medians alone" not in page_of(reader, verified())
