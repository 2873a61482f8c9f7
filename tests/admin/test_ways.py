"""Tests of the ways between the site's pages and the admin: one link in each direction, for who may follow it."""

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from datasets_app.models import Finding, Recipe, ReleaseRow
from tests.curate.store import frozen, passed, small_store
from tests.factories import make_sample
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def in_admin(record):
    return reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=[record.pk])


@pytest.fixture
def records():
    """Return records that have a page of their own, by that page."""
    sample = make_sample()
    verification = verified(sample, "cheated")
    verification.findings.create(code="work_after_return", severity="reject")
    small_store()
    release = frozen("first")
    recipe = Recipe.objects.first()
    return {
        record.get_absolute_url(): record for record in (sample, sample.task, verification, recipe, release)
    }


def test_a_record_s_page_leads_administrators_to_the_admin_and_nobody_else(administrator, curator, records):
    for page, record in records.items():
        assertContains(administrator.get(page), f'href="{in_admin(record)}"')
        assertNotContains(curator.get(page), "/admin/")


def test_the_admin_s_page_of_a_record_leads_to_the_site_s(administrator, records):
    for page, record in records.items():
        assertContains(administrator.get(in_admin(record)), f'href="{page}" class="viewsitelink"')


def test_a_record_without_a_page_leads_to_that_of_what_it_belongs_to(administrator, records):
    finding, row = Finding.objects.get(), ReleaseRow.objects.first()
    for record, page in ((finding, finding.verification), (row, row.verification)):
        assertContains(
            administrator.get(in_admin(record)), f'href="{page.get_absolute_url()}" class="viewsitelink"'
        )


def test_a_record_that_belongs_to_none_of_these_leads_nowhere(administrator):
    assertNotContains(administrator.get(in_admin(passed().source)), "viewsitelink")
