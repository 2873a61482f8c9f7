"""Tests that a filtered list's pages, found by the digits of a value or on a walk, equal the database's."""

from uuid import uuid4

import pytest
from django.http import QueryDict
from django.utils import timezone

from datasets_app.browse.list import in_order, list_rows, walk
from datasets_app.browse.list.list_rows import ids_beside, list_page, page_ids
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.list.sorting import SAMPLE_SORTS, Cursor, page_of, sort_named
from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.db import analyze_tables
from datasets_app.db.facet_index import compact, read
from datasets_app.models import Sample
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db
ORDERS = [f"{sign}{name}" for name in SAMPLE_SORTS for sign in ("", "-")]
QUERY = "outcome=passed&outcome=cheated&claimed_min=1"


@pytest.fixture(params=["dirty", "compacted", "once few"])
def many(request, monkeypatch):
    """Thirty samples, of which a filter finds twenty; the walk treats no result as small.

    Once few: the planner was told of the first four alone.
    """
    monkeypatch.setattr(walk, "FEW", 0)
    tasks = [make_task(name=name) for name in "abc"]
    for number in range(30):
        outcome = ("passed", "cheated", "wrong_value")[number % 3]
        make_sample(
            tasks[number % 2],
            outcome=outcome,
            verified_at=timezone.now(),
            measured_speedup=1 + number % 4 if outcome == "passed" else None,
            claimed_speedup=number % 5 + 1,
            trace_tokens=100 + number % 6,
        )
        if request.param == "once few" and number == 3:
            analyze_tables.refresh()
    if request.param == "compacted":
        while compact():
            pass


def by_database(sort, cursor, size):
    rows = BrowseFilter.from_querystring(QUERY).queryset()
    return [row.pk for row in page_of(rows, sort, cursor, size).rows]


@pytest.fixture(params=["by digits", "on a walk"])
def way(request, monkeypatch):
    """Leave one way to find a page's ids; sorting in the database is an error."""
    if request.param == "on a walk":
        monkeypatch.setattr(list_rows, "ids_in_order", lambda *_: None)
    else:
        monkeypatch.setattr(list_rows, "ids_on_a_walk", unwanted)
    monkeypatch.setattr(list_rows, "ids_by_database", unwanted)
    return request.param


def unwanted(*_):
    raise AssertionError("found in another way than was meant")


def page_by(sort, cursor, size):
    return list_page(Sets(BrowseFilter.from_querystring(QUERY), read()), sort, cursor, size)


def test_its_pages_are_those_that_the_database_finds_in_every_order_and_direction(many, way):
    sorts = {order: sort_named(order, SAMPLE_SORTS) for order in ORDERS}
    found = [order for order, sort in sorts.items() if sort.facet or way == "on a walk"]
    assert len(found) > 4  # not every order has digits
    for order in found:
        check_pages(order, sorts[order])


def check_pages(order, sort):
    page, met = page_by(sort, None, 7), []
    cursor = None
    for _ in range(5):
        assert [row.pk for row in page.rows] == by_database(sort, cursor, 7), order
        met += [row.pk for row in page.rows]
        if not page.next:
            break
        cursor = Cursor.read(page.next, sort)
        page = page_by(sort, cursor, 7)
    assert len(met) == len(set(met)) == 20, order
    back = Cursor.read(page.previous, sort)
    assert [row.pk for row in page_by(sort, back, 7).rows] == by_database(sort, back, 7), order


def test_a_sample_knows_its_neighbours_in_such_a_list(many):
    sort = SAMPLE_SORTS["created"]
    ids = by_database(sort, None, 20)
    row = Sample.objects.get(pk=ids[8])
    found = ids_beside(Sets(BrowseFilter.from_querystring(QUERY), read()), sort, row)
    assert found == (ids[7], ids[9])


def test_where_the_walk_grows_too_long_the_database_finds_the_page(many, monkeypatch):
    monkeypatch.setattr(walk, "MOST_WALKED", 3)
    monkeypatch.setattr(walk, "LARGEST_STEP", 2)
    sort = SAMPLE_SORTS["created"]
    chosen = BrowseFilter.from_querystring(QUERY)
    assert walk.ids_on_a_walk(Sets(chosen, read()), sort, None, 7) is None
    monkeypatch.setattr(list_rows, "ids_in_order", lambda *_: None)
    assert [row.pk for row in list_page(Sets(chosen, read()), sort, None, 7).rows] == by_database(
        sort, None, 7
    )


def test_where_too_many_are_level_the_digits_do_not_tell_and_the_page_is_the_same(many, monkeypatch):
    Sample.objects.update(created_at=timezone.now())
    monkeypatch.setattr(in_order, "FEW", 10)
    sort = SAMPLE_SORTS["created"]
    chosen = BrowseFilter.from_querystring(QUERY)
    assert in_order.ids_in_order(Sets(chosen, read()), sort, None, 7) is None
    assert page_ids(Sets(chosen, read()), sort, None, 7) == by_database(sort, None, 7)


@pytest.mark.parametrize("value", [-1, 10**400, float("inf"), float("nan")])
def test_a_position_that_no_sample_has_is_no_error(many, value):
    sort = SAMPLE_SORTS["claimed"]
    cursor = Cursor(value, Sample.objects.first().pk)
    assert in_order.candidates(Sets(BrowseFilter.from_querystring(QUERY), read()), sort, cursor, 7) is None


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59", "9999-12-31T23:59:59-23:59"]
)
def test_a_moment_that_utc_does_not_have_is_no_position(at):
    text = Cursor(at, uuid4()).text()
    with pytest.raises(BrowseError):
        Cursor.read(text, SAMPLE_SORTS["created"])


def test_a_row_that_changes_is_in_the_next_page_as_it_is(many):
    listing = Listing.from_params(QueryDict(QUERY))
    first = listing.page().rows[0]
    Sample.objects.filter(pk=first.pk).update(outcome="wrong_value", measured_speedup=None)
    after = Listing.from_params(QueryDict(QUERY))
    assert first.pk not in [row.pk for row in after.page().rows]
    assert len(after.page().rows) == 19


@pytest.mark.parametrize(
    ("order", "value"),
    [
        *(("task", text) for text in ("\ud800", "a\x00")),
        *(("tokens", number) for number in (float("nan"), float("inf"))),
        *(("claimed", number) for number in (float("nan"), 10**400)),
    ],
)
def test_a_cursor_with_a_value_that_no_row_has_is_refused(order, value, reader):
    cursor = Cursor(value, uuid4()).text()
    assert reader.get(f"/browse/?sort={order}&cursor={cursor}").status_code == 400
    assert reader.get(f"/api/v1/samples/?sort={order}&cursor={cursor}").status_code == 400
