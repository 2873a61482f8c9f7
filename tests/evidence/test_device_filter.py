"""Tests of the device filter: outcome, speedup, findings and staleness come from evidence on that device."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.db import facet_index
from datasets_app.models import Environment, Finding
from tests.factories import make_sample
from tests.verifications import H200, L40, environment, finished, timed, verified

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast():
    """Samples: fast on both; failed on the L40; on the L40 only; never verified."""
    both, failed, alone = make_sample(), make_sample(), make_sample()
    timed(both, 2.0)
    timed(both, 6.0, L40)
    timed(failed, 3.0)
    run = finished(failed, "wrong_value", L40, environment=environment(device=L40))
    Finding.objects.create(verification=run, code="overwrites_input", severity="reject")
    verified(failed, "infra_error", days=1)
    timed(alone, 1.2, L40)
    make_sample()
    return {both: "both", failed: "failed", alone: "alone"}


QUESTIONS = {
    "device:H200": {"both", "failed"},
    "device:L40": {"both", "failed", "alone"},
    "device:L40 outcome:passed": {"both", "alone"},
    "device:L40 outcome:failed": {"failed"},
    "device:H200 outcome:failed": set(),
    "device:L40 speedup:>1.5": {"both"},
    "device:H200 speedup:>2.5": {"failed"},
    "device:L40 gain:over_5": {"both"},
    "device:L40 gain:none": {"failed"},
    "device:L40 finding:overwrites_input": {"failed"},
    "device:H200 finding:overwrites_input": set(),
    "finding:overwrites_input": set(),
    "outcome:passed": {"both", "failed", "alone"},
    "device:A100": set(),
}


@pytest.mark.parametrize("folded", [True, False])
def test_a_list_about_a_device_reads_the_evidence_there(cast, folded):
    while folded and facet_index.compact():
        pass
    chosen = {line: parse_query(line) for line in QUESTIONS}
    rows = {line: {cast[sample] for sample in filter.queryset()} for line, filter in chosen.items()}
    assert rows == QUESTIONS
    totals = {line: facets.total(filter) for line, filter in chosen.items()}
    assert totals == {line: len(names) for line, names in QUESTIONS.items()}


def test_counting_every_device_reads_the_list_of_devices_once(cast):
    with CaptureQueriesContext(connection) as captured:
        facets.count(parse_query("outcome:passed speedup:>1"))
    assert sum("datasets_app_evidencedevice" in one["sql"] for one in captured) <= 2, (
        "by the filter, by the facet"
    )


def test_samples_without_evidence_are_found_by_none(cast):
    (left,) = parse_query("device:none").queryset()
    assert left not in cast
    assert facets.total(parse_query("device:none")) == 1


def test_stale_evidence_is_that_of_the_device(cast):
    Environment.objects.filter(key="one").update(changed="driver 570 → 580")
    for line, names in {"device:L40 stale:yes": {"failed"}, "stale:yes": set()}.items():
        assert {cast[sample] for sample in parse_query(line).queryset()} == names
        assert facets.total(parse_query(line)) == len(names)


def test_each_count_is_that_of_the_list_it_leads_to(cast):
    for line in ("device:L40", "device:H200", "device:L40 outcome:failed", "outcome:passed", ""):
        chosen = parse_query(line)
        for facet in facets.count(chosen).facets:
            for value in facet.values:
                narrowed = chosen.having(facet.name, value.value)
                assert value.count == narrowed.queryset().count(), (line, facet.name, value)


def test_the_list_shows_and_orders_by_the_device_that_it_is_about(cast, reader):
    names = {str(sample.pk): name for sample, name in cast.items()}

    def order(query):
        page = reader.get(f"/browse/{query}").content.decode()
        rows = page.split('<tr role="row">')[1:]
        return [
            (next(name for pk, name in names.items() if pk in row), row)
            for row in rows
            if "data-row-link" in row
        ]

    rows = order("?device=L40&sort=-measured")
    assert [name for name, _ in rows] == ["both", "alone", "failed"]
    assert "6.00×" in rows[0][1]
    assert L40 in rows[0][1]
    assert "wrong value" in rows[2][1]
    assert [name for name, _ in order("?device=H200&sort=-measured")] == ["failed", "both"]


def test_pages_of_a_list_about_a_device_follow_its_order(cast, reader, monkeypatch):
    monkeypatch.setattr("datasets_app.browse.list.listing.PAGE_SIZE", 1)
    page = reader.get("/browse/?device=L40&sort=-measured").content.decode()
    seen = []
    while True:
        seen += [name for sample, name in cast.items() if f'href="/samples/{sample.pk}/' in page]
        if 'rel="next"' not in page:
            break
        address = page.split('rel="next"')[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
        page = reader.get(address).content.decode()
    assert seen == ["both", "alone", "failed"]


def test_two_devices_cannot_be_asked_for_at_once(reader):
    assert reader.get(f"/browse/?device={H200}&device={L40}").status_code == 400
