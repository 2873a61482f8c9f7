"""Tests that the order by measured speedup compares samples on one device and puts the others last."""

from itertools import product

import pytest
from django.http import QueryDict

from datasets_app.browse.list import list_rows, listing
from datasets_app.browse.list.listing import Listing
from datasets_app.db.facet_index import compact
from datasets_app.models import Sample
from tests.factories import make_sample
from tests.verifications import H200, L40, timed

pytestmark = pytest.mark.django_db
ON_H200 = [1.0, 1.5, 2.0, 2.0, 3.0]


@pytest.fixture(autouse=True, params=["dirty", "compacted"])
def store(request, monkeypatch):
    """Five samples on the reference device, two of these on another too; two only there; one on neither."""
    monkeypatch.setattr(listing, "PAGE_SIZE", 3)
    for number, speedup in enumerate(ON_H200):
        timed(sample := make_sample(), speedup, H200)
        if number < 2:
            timed(sample, 70.0 + number, L40)
    for speedup in (50.0, 60.0):
        timed(make_sample(), speedup, L40)
    make_sample()
    if request.param == "compacted":
        while compact():
            pass


@pytest.fixture(params=["by digits", "by the database"])
def way(request, monkeypatch):
    if request.param == "by the database":
        monkeypatch.setattr(list_rows, "ids_in_order", lambda *_: None)


def pages(query: str, towards: str = "next") -> list:
    """Return the rows of all pages, from the first one, or backwards from the last one with `previous`."""
    page = Listing.from_params(QueryDict(query)).page()
    found = [page.rows]
    while cursor := page.next:
        page = Listing.from_params(QueryDict(f"{query}&cursor={cursor}")).page()
        found.append(page.rows)
    if towards == "previous":
        found = [page.rows]
        while cursor := page.previous:
            page = Listing.from_params(QueryDict(f"{query}&cursor={cursor}")).page()
            found.insert(0, page.rows)
    return [row for rows in found for row in rows]


def shown(rows) -> list[tuple[str, float | None]]:
    return [(row.device, row.measured_speedup) for row in rows]


def test_without_a_device_the_reference_devices_speedups_are_ranked_and_others_come_last(way):
    others = sorted(Sample.objects.exclude(device=H200).values_list("pk", flat=True))
    for sign, filter, towards in product(("", "-"), ("", "&has_trace=yes"), ("next", "previous")):
        rows = pages(query := f"sort={sign}measured{filter}", towards)
        ranked = [(H200, speedup) for speedup in sorted(ON_H200, reverse=bool(sign))]
        assert shown(rows)[:5] == ranked, (query, towards)
        assert [row.pk for row in rows[5:]] == (others[::-1] if sign else others), (query, towards)


@pytest.mark.parametrize(
    ("device", "speedups"), [("L40", [71.0, 70.0, 60.0, 50.0]), ("H200", [3.0, 2.0, 2.0, 1.5, 1.0])]
)
def test_with_a_device_its_own_speedups_are_ranked(device, speedups):
    assert [speedup for _, speedup in shown(pages(f"sort=-measured&device={device}"))] == speedups


@pytest.mark.parametrize(
    "query", ["sort=-measured", "sort=measured&has_trace=yes", "sort=-measured&device=L40"]
)
def test_a_sample_knows_its_neighbours_in_that_order(query):
    ids = [row.pk for row in pages(query)]
    here = Listing.from_params(QueryDict(query))
    for at, pk in enumerate(ids):
        before, after = ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None
        assert here.neighbours(Sample.objects.get(pk=pk)) == (before, after)


def test_the_order_follows_the_reference_device(settings):
    settings.REFERENCE_DEVICE = "L40"
    assert shown(pages("sort=-measured"))[:2] == [(L40, 60.0), (L40, 50.0)]
