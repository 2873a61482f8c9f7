"""Tests of comparing SASS of two samples: linked from the difference and the neighbours, or stated absent."""

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import SITE
from datasets_app.maintenance import runs
from datasets_app.models import MaintenanceKind, Verification
from tests.factories import make_sample
from tests.verify import reports
from tests.verify.test_evidence import verified

pytestmark = pytest.mark.django_db


def slower(pk):
    data = reports.full(pk)
    data["inspection"]["sass"] = data["inspection"]["sass"].replace("MUFU.RCP R14", "MUFU.RSQ R14")
    return data


def address(one, other, kind="sass"):
    return reverse("sample-code-against", args=[one.pk, kind, other.pk])


def test_the_newest_listings_of_both_are_compared(reader):
    one, other = verified().sample, verified(slower).sample
    verified(sample=other)  # the newest run equals the other sample's again
    same = reader.get(address(one, other)).context["pair"]
    assert same.diff.same
    differs = reader.get(address(verified(slower).sample, one)).context["pair"]
    assert (differs.diff.added, differs.diff.removed) == (1, 1)


def test_another_toolkit_is_named_as_a_reason(reader):
    def newer(pk):
        return {**reports.full(pk), "versions": {**reports.full(pk)["versions"], "nvcc": "99.1"}}

    page = reader.get(address(verified().sample, verified(newer).sample)).content.decode()
    assert "toolkit 99.1 and 13.0.88: some of the difference may be the compiler" in " ".join(page.split())


def test_a_sample_without_a_listing_says_which_and_why_and_how_to_have_it(reader, annotator):
    one, never = verified().sample, make_sample(language="cuda")
    outside = verified(reports.passed).sample
    page = reader.get(address(one, never)).content.decode()
    assert "has no SASS: it was never verified" in page
    assert "ask somebody with the right to annotate" in page
    page = annotator.get(address(outside, never)).content.decode()
    assert "no verification has collected it" in page
    assert "Verify them and collect SASS and profiler counters" in page
    annotator.post(reverse("verify-ask"), {"sample": [str(never.pk)], "inspect": "1"})
    assert Verification.objects.get(sample=never).inspect


def test_other_kinds_that_both_have_are_offered_and_unknown_ones_refused(reader):
    one, other = verified().sample, verified(slower).sample
    page = reader.get(address(one, other)).content.decode()
    assert address(one, other, "ptx") in page
    assert reader.get(address(one, other, "ptx")).context["pair"].diff.same
    assert reader.get(address(one, other, "elf")).status_code == 404


def test_the_difference_and_the_neighbours_lead_there(reader):
    one, other = make_sample(kernel="x = 1 + y\n" * 30), make_sample(kernel="z = 1 + w\n" * 30)
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk)
    assert address(one, other) in reader.get(f"{one.get_absolute_url()}?neighbours=show").content.decode()
    assert address(one, other) in reader.get(f"{one.get_absolute_url()}?against={other.pk}").content.decode()
    assert "sample-code" not in reader.get(f"{one.get_absolute_url()}?against=reference").content.decode()


def test_the_page_costs_the_same_queries_however_many_runs_there_are(reader, django_assert_num_queries):
    one, other = verified().sample, verified(slower).sample
    for _ in range(3):
        verified(sample=one)
    with django_assert_num_queries(12):  # session, account with role, two samples, four per side
        reader.get(address(one, other))
