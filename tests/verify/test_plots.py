"""Tests of the roofline and of the history's intervals: drawn from what reports state, inside their frames."""

import itertools

import pytest

from datasets_app.accounts.actor import COMMAND
from eval_app.pages.interval_plot import interval_plot
from eval_app.pages.roofline_plot import LABEL_STEP, roofline_plot
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample
from tests.verify import reports

# 10 TB/s, 100 TFLOP/s: the ridge is at 10 operations per byte.
ROOFLINE = {"bytes": 1_000_000_000, "flops": 20_000_000_000, "memory_ms": 0.1, "compute_ms": 0.2}
MEMORY_BOUND = {**ROOFLINE, "flops": 2_000_000_000, "compute_ms": 0.02}
SIDES = {"kernel": 0.4, "eager": 0.8, "compile": 0.41}


@pytest.mark.parametrize(("roofline", "percent"), [(ROOFLINE, 50), (MEMORY_BOUND, 25)])
def test_each_side_stands_at_its_share_of_the_roof(roofline, percent):
    plot = roofline_plot(roofline, SIDES)
    kernel = next(point for point in plot.points if point.label == "kernel")
    assert kernel.percent == pytest.approx(percent)
    assert plot.intensity == roofline["flops"] / roofline["bytes"]


def test_everything_lies_inside_and_no_label_covers_another():
    plot = roofline_plot(ROOFLINE, SIDES)
    assert all(0 <= point.x <= 100 and plot.top <= point.y <= plot.bottom for point in plot.points)
    heights = sorted(point.label_y for point in plot.points)
    assert all(b - a >= LABEL_STEP - 0.1 for a, b in itertools.pairwise(heights))
    for x, y in itertools.chain(*plot.roof):
        assert 0 <= x <= 100
        assert plot.top <= y <= plot.bottom
    assert 1 <= len(plot.x_ticks) <= 7
    assert 1 <= len(plot.y_ticks) <= 7


def test_a_kernel_that_does_less_than_the_program_stands_above_the_roof():
    plot = roofline_plot(ROOFLINE, {"kernel": 0.1})
    assert plot.points[0].percent == pytest.approx(200)
    assert plot.top <= plot.points[0].y


@pytest.mark.parametrize(
    "missing", [{"flops": None}, {"flops": 0}, {"compute_ms": None}, {"memory_ms": 0}, {"bytes": 0}]
)
def test_nothing_is_drawn_from_counts_that_are_not_known(missing):
    assert roofline_plot({**ROOFLINE, **missing}, SIDES) is None
    assert roofline_plot({}, SIDES) is None


def test_a_kernel_without_a_product_stands_at_its_own_operations():
    elementwise = {"flops": 0, "other_flops": 250_000_000, "compute_ms": None, "flops_per_s": 1e14}
    plot = roofline_plot({**ROOFLINE, **elementwise}, {"kernel": 0.2})
    assert plot.intensity == 0.25
    assert plot.points[0].percent == pytest.approx(50)  # of what the memory allows
    assert roofline_plot({**ROOFLINE, **elementwise, "uncounted": ["topk"]}, {"kernel": 0.2}) is None


def timed(sample, speedup):
    (row,) = request_verification([sample], actor=COMMAND)
    report = reports.passed(sample.pk)
    report["timing"]["speedup"] = {"median": speedup, "low": speedup * 0.98, "high": speedup * 1.02}
    record_report(row.pk, 1, report)


def page_of(client, sample):
    return client.get(sample.get_absolute_url()).content.decode()


@pytest.mark.django_db
def test_runs_that_disagree_are_drawn_with_the_interval_between_them(reader):
    sample = make_sample()
    for speedup in (3.12, 2.66, 3.00):
        timed(sample, speedup)
    page = page_of(reader, sample)
    assert page.count('<g class="interval') == 3
    assert page.count('<g class="interval counts"') == 1
    assert "2.61× to 3.18×" in page
    assert "the runs disagree, by more than their own intervals" in page
    plot = interval_plot(list(sample.verifications.select_related("evidence")))
    assert all(0 <= mark.low_x <= mark.x <= mark.high_x <= 100 for mark in plot.marks)
    assert plot.band[0] >= 0
    assert plot.band[0] + plot.band[1] <= 100
    assert len(plot.ticks) >= 2


@pytest.mark.django_db
def test_one_run_has_no_history_to_draw(reader):
    sample = make_sample()
    timed(sample, 2.0)
    assert '<g class="interval' not in page_of(reader, sample)


@pytest.mark.django_db
def test_a_report_with_counts_shows_its_roofline_and_one_without_says_so(reader):
    sample = make_sample()
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, reports.full(sample.pk))
    page = page_of(reader, sample)
    assert 'class="plot roofline-plot"' in page
    assert "kernel at " in page
