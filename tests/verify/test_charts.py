import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_app.pages import charts, error_charts
from tests.verify.reports import spread

TIMES = st.floats(1e-6, 1e5)


@given(st.lists(TIMES, min_size=1, max_size=400), st.lists(TIMES, min_size=1, max_size=400))
def test_every_dot_lies_inside_the_plot(kernel, eager):
    def side(samples):
        ordered = sorted(samples)
        middle = ordered[len(ordered) // 2]
        return {
            "median_ms": middle,
            "p10_ms": ordered[0],
            "p90_ms": ordered[-1],
            "n": len(samples),
            "samples_ms": samples,
        }

    plot = charts.strip_plot({"kernel": side(kernel), "eager": side(eager)})
    for strip in plot.strips:
        for x, y in strip.dots:
            assert 0 <= x <= 100
            assert 0 <= y <= plot.axis_y
        assert len(strip.dots) <= charts.MAX_DOTS


def test_sides_that_lie_far_apart_get_a_logarithmic_axis():
    assert charts.strip_plot({"kernel": spread(0.1), "eager": spread(5.0)}).is_log
    assert not charts.strip_plot({"kernel": spread(0.9), "eager": spread(1.0)}).is_log


def test_the_floor_is_drawn_left_of_what_is_slower():
    plot = charts.strip_plot({"kernel": spread(1.0)}, floor_ms=0.5)
    assert plot.floor_x < plot.strips[0].low_x


def test_a_report_without_samples_is_drawn_by_its_percentiles():
    plot = charts.strip_plot({"kernel": {**spread(1.0), "samples_ms": []}})
    assert len(plot.strips[0].dots) == 3


@given(TIMES, st.floats(1.05, 1e4), st.booleans())
def test_ticks_lie_between_the_ends_and_are_few(low, ratio, is_log):
    ticks = charts.tick_values(low, low * ratio, is_log)
    assert all(low * 0.999 <= tick <= low * ratio * 1.001 for tick in ticks)
    assert len(ticks) <= 12


def test_a_wide_axis_is_labelled_by_its_powers_of_ten_without_exponents():
    plot = charts.strip_plot({"kernel": spread(0.006), "eager": spread(0.0165)}, floor_ms=9e-6)
    assert [label for _, label in plot.ticks] == ["0.00001", "0.0001", "0.001", "0.01"]


def mismatch(*index):
    return {"output": "output", "index": list(index), "got": "0", "expected": "1", "trial": "normal 1"}


def test_mismatches_are_placed_by_their_last_two_dimensions():
    heat = error_charts.named_map([mismatch(7, 0, 0), mismatch(9, 31, 63)])
    assert "as far as index [31, 63]" in heat.caption
    assert [(row, column) for row, column, _ in heat.cells] == [(0, 0), (15, 15)]


def test_a_vector_is_one_row_and_a_scalar_has_no_map():
    assert error_charts.named_map([mismatch(5)]).grid_rows == 1
    assert error_charts.named_map([mismatch()]) is None
    assert error_charts.named_map([]) is None


@given(st.lists(st.lists(st.integers(0, 2**40), min_size=1, max_size=5), min_size=1, max_size=40))
def test_every_cell_lies_in_the_grid(indices):
    heat = error_charts.named_map([mismatch(*index) for index in indices])
    for row, column, level in heat.cells:
        assert 0 <= row < heat.grid_rows
        assert 0 <= column < heat.grid_columns
        assert 1 <= level <= 4


@pytest.mark.parametrize("counts", [{}, {"passed": 3}, {"passed": 1, "cheated": 2, "infra_error": 4}])
def test_a_bar_is_filled_from_end_to_end(counts):
    segments = charts.outcome_bar(counts)
    assert sum(segment.width for segment in segments) == pytest.approx(100 if counts else 0, abs=0.1)
    assert all(segment.tone in {"good", "bad", "doubt", "ours"} for segment in segments)


def test_no_two_stages_of_a_run_share_a_colour():
    names = ["queued", "build", "load", "reference", "correctness", "orders", "timing", "fork", "teardown"]
    segments = charts.seconds_bar({name: 0.1 * (number + 1) for number, name in enumerate(names)})
    tones = [segment.tone for segment in segments]
    assert len(tones) == len(set(tones)) == 6
    assert segments[-1].name == "other stages: queued, build, load, reference"
    assert segments[-1].count == 1000  # milliseconds
    assert [segment.name for segment in segments[:-1]] == names[4:]
