"""Tests of which tables PostgreSQL gathers statistics of; tests/browse/test_plans.py has those of SQLite."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.db import analyze_tables
from tests.factories import make_sample

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no statistics of empty tables"),
]


def test_a_table_without_rows_is_not_analysed_or_its_first_rows_would_be_found_by_reading_all():
    make_sample()
    with CaptureQueriesContext(connection) as asked:
        analyze_tables.refresh()
    statements = {query["sql"] for query in asked}
    assert 'ANALYZE "datasets_app_sample"' in statements
    assert 'ANALYZE "datasets_app_honeypot"' not in statements
