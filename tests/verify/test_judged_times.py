"""Tests of the judge's own times on a report's page: a table that says which row is the report's speedup."""

import pytest

from eval_app.pages.judged_times import JudgedTimes
from tests.verify import reports
from tests.verify.test_evidence import ORDERS, page_of, verified

pytestmark = pytest.mark.django_db


def times(orders=(), **fields):
    return JudgedTimes(
        reports.timing() | {"orders": ORDERS | dict(orders), "confirmed_by": "orders"} | fields
    )


def table(found):
    return [(row.name, row.kernel_ms, row.reference_ms, row.is_reported) for row in found.rows]


def test_the_speedup_of_calls_alone_is_the_reports_and_the_others_confirm_it():
    found = times({"launched_ms": 0.08, "one_by_one_ms": 0.07, "one_by_one_reference_ms": 0.14})
    assert table(found) == [
        ("as one of 20 calls", 0.06, 0.13, False),
        ("the same, with launches", 0.08, None, False),
        ("handed over one by one", 0.07, 0.14, False),
        ("alone", 0.5, 1.0, True),
    ]
    assert found.rows[2].speedup == pytest.approx(2.0)
    assert "confirms it" in found.sentence


def test_beside_a_reference_of_many_launches_the_orders_are_the_reports():
    found = times({"single_reference_ms": 4.2})
    assert table(found)[0] == ("as one of 20 calls", 0.06, 0.13, True)
    assert table(found)[-1] == ("alone, with its launches", None, 4.2, False)
    assert "no launches on either side" in found.sentence


def test_times_that_nothing_confirms_are_those_of_orders_and_said_to_be():
    found = times(confirmed_by="", unconfirmed="they vary too much")
    assert table(found) == [("as one of 20 calls", 0.06, 0.13, True)]
    assert found.sentence.endswith("They are not confirmed.")


def test_a_report_without_orders_has_no_table(reader):
    assert not JudgedTimes(reports.timing())
    assert "How calls were timed" not in page_of(reader, verified(reports.passed))


def test_the_page_has_the_table(reader):
    def report_of(pk):
        report = reports.full(pk)
        report["timing"] |= {"confirmed_by": "orders", "orders": ORDERS}
        return report

    page = page_of(reader, verified(report_of))
    assert "How calls were timed" in page
    assert 'as one of 20 calls</th><td class="num" data-label="kernel ms">0.0600</td>' in page
    assert "which confirms it" in page
