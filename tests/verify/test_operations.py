"""Tests of what a page and REST say of a task's operations, which a report counts in two parts."""

import pytest

from datasets_app.accounts.actor import COMMAND
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db


def verified(**roofline):
    """Return a verification whose report has these in its roofline."""
    sample = make_sample(language="cuda")
    (row,) = request_verification([sample], actor=COMMAND)
    report = reports.full(sample.pk)
    report["timing"]["roofline"] |= roofline
    record_report(row.pk, 1, report)
    return row


def page_of(client, row):
    return client.get(row.get_absolute_url()).content.decode()


def test_elementwise_work_stands_beside_the_products_and_uncounted_operators_are_named(reader):
    row = verified(flops=2_000_000, other_flops=30_000, uncounted=["topk"], flops_per_s=6.7e13)
    words = "computes 2 MFLOP in matrix products and 30 kFLOP in other operations (not counted: topk)"
    assert words in page_of(reader, row)


def test_operations_that_are_all_outside_of_products_are_so_on_the_page_and_in_rest(reader):
    row = verified(flops=0, other_flops=250_000_000)
    assert "computes 250 MFLOP outside of matrix products: " in page_of(reader, row)
    roofline = reader.get(f"/api/v1/verifications/{row.pk}/").json()["report"]["timing"]["roofline"]
    assert (roofline["flops"], roofline["other_flops"]) == (0, 250_000_000)
    schemas = reader.get("/api/schema/?format=json").json()["components"]["schemas"]
    described = schemas["VerificationReport"]["properties"]["report"]["description"]
    assert "matrix products, convolutions and attention" in described
    assert "`other_flops`" in described


def test_operations_that_are_not_counted_are_not_called_none(reader):
    page = page_of(reader, verified(flops=0))
    assert "(its operations are not counted)" in page
    assert "0 FLOP" not in page
