import pytest
from django.utils import timezone

from datasets_app.browse.list.histogram import RANGES, histogram
from datasets_app.browse.query import BrowseFilter, parse_query
from tests.factories import make_sample
from tests.verifications import H200, L40, timed

pytestmark = pytest.mark.django_db


def passed(speedup):
    return make_sample(outcome="passed", verified_at=timezone.now(), measured_speedup=speedup)


def bars(name, chosen=None):
    found = histogram(name, chosen or BrowseFilter())
    return {bar.low: bar.count for bar in found.bars if bar.count}


def test_a_value_on_an_edge_belongs_to_the_bar_that_begins_there():
    for speedup in (0.1, 0.3, 0.7, 1.0, 1.49, 1.5, 2.0, 99.9, 100.0, 5000.0):
        passed(speedup)
    assert bars("speedup") == {0.1: 1, 0.3: 1, 0.7: 1, 1.0: 2, 1.5: 1, 2.0: 1, 70.0: 1, 100.0: 2}


def test_bars_agree_with_what_the_range_would_find():
    for tokens in (1, 10, 14, 15, 99, 100, 4000, 8500, 200_000):
        make_sample(trace_tokens=tokens)
    for bar in histogram("tokens", BrowseFilter()).bars:
        asked = {"tokens_min": f"{bar.low:g}"} | ({"tokens_max": f"<{bar.high:g}"} if bar.high else {})
        assert BrowseFilter.from_params(asked).queryset().count() == bar.count


def test_speedups_follow_the_device_of_the_filter(reader):
    for number in range(3):
        timed(both := make_sample(), 2.0 + number, H200)
        timed(both, 20.0, L40)
    timed(make_sample(), 0.3, L40)
    assert bars("speedup", parse_query("device:L40")) == {20: 3, 0.3: 1}
    assert bars("speedup", parse_query("device:L40 has_trace:yes speedup:>9")) == {20: 3, 0.3: 1}
    assert bars("speedup", parse_query("device:H200")) == {2: 1, 3: 1, 4: 1}
    page = reader.get("/browse/histogram/speedup/?device=L40").content.decode()
    assert f"Measured on {L40} of 4 samples" in page


def test_bars_on_a_device_agree_with_what_the_range_would_find():
    for speedup in (0.05, 0.1, 1.0, 1.5, 99.9, 100.0, 400.0):
        timed(sample := make_sample(), 1.0, H200)
        timed(sample, speedup, L40)
    for bar in histogram("speedup", parse_query("device:L40")).bars:
        asked = {"device": L40, "speedup_min": f"{bar.low:g}"}
        asked |= {"speedup_max": f"<{bar.high:g}"} if bar.high else {}
        assert BrowseFilter.from_params(asked).queryset().count() == bar.count


def test_a_histogram_ignores_its_own_range_and_heeds_the_rest():
    make_sample(trace_tokens=200, generator="a")
    make_sample(trace_tokens=5000, generator="a")
    make_sample(trace_tokens=5000, generator="b")
    assert bars("tokens", parse_query("generator:a tokens:<1000")) == {200: 1, 5000: 1}


def test_empty_ends_are_cut_off_and_gaps_between_stay():
    for tokens in (100, 300):
        make_sample(trace_tokens=tokens)
    assert [bar.low for bar in histogram("tokens", BrowseFilter()).bars] == [100, 150, 200, 300]


@pytest.mark.parametrize("name", RANGES)
def test_the_page_gets_each_histogram_as_a_part(reader, name):
    assert b"No values" in reader.get(f"/browse/histogram/{name}/").content
    timed(make_sample(trace_tokens=1200, claimed_speedup=2.0), 1.5)
    page = reader.get(f"/browse/histogram/{name}/").content.decode()
    assert page.count("<rect") >= 1
    assert page.count('type="range"') == 2


def test_an_unknown_range_or_a_bad_filter_is_refused(reader):
    assert reader.get("/browse/histogram/colour/").status_code == 404
    assert reader.get("/browse/histogram/tokens/?outcome=great").status_code == 400
