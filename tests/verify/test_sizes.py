"""Tests of the times at other sizes as a report's page shows them."""

import pytest

from eval_app.pages.sizes_view import Sizes
from tests.factories import make_sample
from tests.verify import reports
from tests.verify.test_evidence import verified


def sizes(**changes):
    return Sizes([{**row, **changes} for row in reports.full("x")["sweep"]])


def test_the_own_size_comes_first_and_what_was_not_timed_last():
    shown = [(row.name, row.facts) for row in sizes().rows]
    assert shown == [
        ("the task's own", "float32 16×16384; 2.1 MB"),
        ("batch_size=9, not 16", "float32 9×16384; 1.18 MB; chosen by the engine"),
        ("rows=128", "float32 128×16384; 16.8 MB; declared"),
        ("batch_size=3, not 16", "chosen by the engine"),
    ]


def test_the_plot_holds_each_interval_and_where_both_are_equally_fast():
    plot = sizes().plot
    assert [mark.label for mark in plot.marks] == ["the task's own", "batch_size=9, not 16", "rows=128"]
    for mark in plot.marks:
        assert plot.place(plot.ends[0]) <= mark.low_x <= mark.x <= mark.high_x <= plot.place(plot.ends[1])
    assert plot.ends[0] < 1 < plot.ends[1]


def test_one_size_needs_no_plot():
    assert Sizes(reports.full("x")["sweep"][:1]).plot is None
    assert not Sizes([])


@pytest.fixture
def sample(db):
    return make_sample(language="cuda")


def page_of(client, sample, data):
    return client.get(verified(lambda pk: data, sample).get_absolute_url()).content.decode()


def test_the_page_has_a_row_for_each_size_or_the_reason(admin_client, sample):
    page = page_of(admin_client, sample, reports.full(sample.pk))
    assert "rows=128" in page
    assert "2.43× to 2.56×" in page
    assert "not timed: it fails there: 12 of 49152 elements are wrong" in page
    assert "Why 1 of these times is not confirmed" in page


def test_a_profile_that_tries_no_other_size_is_named(admin_client, sample):
    data = reports.full(sample.pk)
    page = page_of(admin_client, sample, {**data, "sweep": data["sweep"][:1]})
    assert "tries no other size. The profile standard does" in page


def test_a_report_without_a_look_inside_has_no_such_part(admin_client, sample):
    assert "Other sizes" not in page_of(admin_client, sample, {**reports.full(sample.pk), "sweep": []})
