"""Tests that one statement tells which tables have rows."""

import pytest

from datasets_app.db.some_rows import models_with_rows
from datasets_app.models import Ingest, Review, Sample
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def test_the_models_with_rows_are_told_in_one_query(django_assert_num_queries):
    make_sample()
    with django_assert_num_queries(1):
        assert models_with_rows({Sample: "", Review: ""}) == {Sample}


def test_only_rows_that_meet_the_condition_count():
    Ingest.objects.create(file_name="a", path="/a", state="done")
    assert models_with_rows({Ingest: "state = 'failed'"}) == set()
    assert models_with_rows({Ingest: "state = 'done'"}) == {Ingest}


def test_a_value_is_passed_to_the_conditions_that_name_it(django_assert_num_queries):
    root, other = make_sample(), make_sample()
    turn = make_sample(parent=root)
    of_sample = {Sample: "parent_id = %(sample)s OR twin_id = %(sample)s", Review: "sample_id = %(sample)s"}
    with django_assert_num_queries(1):
        assert models_with_rows(of_sample, sample=root.pk.hex) == {Sample}
    assert models_with_rows(of_sample, sample=other.pk.hex) == set()
    assert models_with_rows({Sample: "id = %(sample)s"}, sample=turn.pk.hex) == {Sample}
