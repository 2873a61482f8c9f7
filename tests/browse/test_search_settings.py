"""Tests that the settings for merging the text index's segments are applied and persist."""

import pytest
from django.db import connection

from datasets_app.db.text_index import index
from datasets_app.db.text_index.sqlite import WORD_TABLES

pytestmark = pytest.mark.django_db


def settings_of(table: str) -> dict[str, int]:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL's index has no parts")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT k, v FROM {table}_config")
        return dict(cursor.fetchall())


@pytest.mark.parametrize("table", WORD_TABLES)
def test_parts_are_merged_in_large_groups_also_after_a_rebuild(table):
    assert (settings_of(table)["automerge"], settings_of(table)["crisismerge"]) == (16, 64)
    index.rebuild(connection)
    assert (settings_of(table)["automerge"], settings_of(table)["crisismerge"]) == (16, 64)
