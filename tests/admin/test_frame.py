"""Tests of the admin's frame: the site's header and trail, filters before rows, and neither in a pop-up."""

import pytest

from tests.factories import make_sample
from tests.verifications import AT

pytestmark = pytest.mark.django_db


def test_an_admin_page_has_the_sites_header_and_footer(administrator):
    html = administrator.get("/admin/datasets_app/sample/").content.decode()
    assert 'class="site-header"' in html
    assert 'class="site-footer"' in html
    assert 'id="theme-switch"' in html
    assert "Welcome" not in html


def test_a_trail_leads_back_to_the_list_and_the_index(administrator, django_user_model):
    person = django_user_model.objects.first()
    html = administrator.get(f"/admin/auth/user/{person.pk}/change/").content.decode()
    trail = html.partition('aria-label="Breadcrumbs"')[2].partition("</nav>")[0]
    assert 'href="/admin/"' in trail
    assert 'href="/admin/auth/user/"' in trail


def test_the_filters_of_a_list_are_before_its_rows(administrator):
    html = administrator.get("/admin/datasets_app/sample/").content.decode()
    assert 0 < html.index('id="changelist-filter"') < html.index('id="changelist-form"')


def test_a_popup_has_neither_header_nor_trail(administrator):
    html = administrator.get("/admin/datasets_app/sample/?_popup=1").content.decode()
    assert 'class="site-header"' not in html
    assert "Breadcrumbs" not in html


def test_an_account_is_made_with_one_of_the_roles_by_a_tick(administrator):
    html = administrator.get("/admin/auth/user/add/").content.decode()
    assert 'type="checkbox" name="groups"' in html


def test_a_moment_in_the_admin_is_written_as_on_the_sites_pages(administrator, django_user_model):
    person = django_user_model.objects.first()
    html = administrator.get("/admin/auth/user/").content.decode()
    assert person.date_joined.strftime("%Y-%m-%d %H:%M") in html


def test_an_outcome_in_a_list_is_said_as_on_the_sites_pages(administrator):
    make_sample(outcome="wrong_value", verified_at=AT, trace_tokens=12_345)
    html = administrator.get("/admin/datasets_app/sample/").content.decode()
    assert '<span class="state is-bad" data-shape="✕">wrong value</span>' in html
    assert "wrong_value</a>" not in html  # in the filter
    assert "12,345" in html
    assert "column-measured" in html  # numbers stand on the right by it


def test_a_list_is_sorted_by_an_outcome(administrator):
    make_sample(outcome="timeout", verified_at=AT)
    make_sample(outcome="build_error", verified_at=AT)
    html = administrator.get("/admin/datasets_app/sample/?o=8").content.decode()
    rows = html.partition("<tbody>")[2]
    assert rows.index("build error") < rows.index("timeout")


def test_a_cell_has_its_columns_name_for_lists_on_a_phone(administrator):
    make_sample(verdict="accept", reviewed_at=AT)
    html = administrator.get("/admin/datasets_app/sample/").content.decode()
    assert '<td data-label="verdict" class="field-verdict">' in html
    assert '<td data-label="outcome" class="is-none field-outcome">–</td>' in html
