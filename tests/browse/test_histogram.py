import pytest
from django.utils import timezone

from datasets_app.browse.list.histogram import RANGES, histogram
from datasets_app.browse.query import BrowseFilter, parse_query
from tests.factories import make_sample

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
    make_sample(trace_tokens=1200, claimed_speedup=2.0)
    passed(1.5)
    page = reader.get(f"/browse/histogram/{name}/").content.decode()
    assert page.count("<rect") >= 1
    assert page.count('type="range"') == 2


def test_an_unknown_range_or_a_bad_filter_is_refused(reader):
    assert reader.get("/browse/histogram/colour/").status_code == 404
    assert reader.get("/browse/histogram/tokens/?outcome=great").status_code == 400
