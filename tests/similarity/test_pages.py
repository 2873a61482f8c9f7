"""Tests of the pages of similar kernels and of maintenance."""

import pytest

from datasets_app.accounts.actor import SITE
from datasets_app.maintenance import runs
from datasets_app.models import AuditEntry, MaintenanceKind, MaintenanceRun
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def test_the_sample_page_shows_the_nearest_with_outcome_verdict_and_a_way_to_the_difference(reader):
    one, other = make_sample(kernel="x = 1 + y\n" * 30), make_sample(kernel="z = 1 + w\n" * 30)
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk)
    page = reader.get(f"{one.get_absolute_url()}?neighbours=show").content.decode()
    panel = page[page.index("Most similar kernels") : page.index("facts-title")]
    assert f"?against={other.pk}" in panel
    assert "100 %" in panel
    assert "not verified" in panel
    assert reader.get(f"{one.get_absolute_url()}?against={other.pk}").status_code == 200


def test_the_sample_page_waits_for_no_neighbours_until_it_is_scrolled_to_them(reader):
    sample = make_sample()
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk)
    address = f"/samples/{sample.pk}/neighbours/"
    page = reader.get(f"{sample.get_absolute_url()}?in=").content.decode()
    assert f'hx-get="{address}" hx-trigger="intersect once"' in page
    assert "?in=&amp;neighbours=show#neighbours-title" in page
    part = reader.get(address, headers={"HX-Request": "true"}).content.decode()
    assert part.count("<h2") == 1
    assert "<html" not in part
    assert reader.get(address).url == f"/samples/{sample.pk}/?neighbours=show#neighbours-title"


def test_an_administrator_starts_a_recount_and_it_is_on_record(administrator):
    make_sample()
    page = administrator.get("/maintenance/").content.decode()
    assert "1 sample outdated" in page
    assert administrator.post("/maintenance/tokens/run/").status_code == 302
    assert MaintenanceRun.objects.get().kind == "tokens"
    assert AuditEntry.objects.get().action == "maintenance.request"
    assert 'hx-trigger="every 2s"' in administrator.get("/maintenance/").content.decode()


def test_a_reader_sees_how_far_it_is_and_starts_nothing(reader):
    make_sample()
    page = reader.get("/maintenance/").content.decode()
    assert "/maintenance/tokens/run/" not in page
    assert reader.post("/maintenance/tokens/run/").status_code == 403
    assert not MaintenanceRun.objects.exists()


def test_maintenance_that_does_not_exist_is_not_found(administrator):
    assert administrator.post("/maintenance/dusting/run/").status_code == 404


def test_the_page_costs_the_same_whatever_there_is(reader, django_assert_max_num_queries):
    reader.get("/maintenance/")
    for _ in range(3):
        make_sample()
    with django_assert_max_num_queries(17):
        reader.get("/maintenance/")
