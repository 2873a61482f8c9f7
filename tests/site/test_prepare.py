"""Tests of the preparation of the data folder before a start."""

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from concur_site.up.prepare import migrate


@pytest.mark.django_db
def test_a_database_of_another_version_is_refused_in_a_sentence():
    MigrationRecorder(connection).record_applied("datasets_app", "9999_of_tomorrow")
    with pytest.raises(CommandError, match=r"datasets_app\.9999_of_tomorrow.*CONCUR_DATA_DIR"):
        migrate(print)


@pytest.mark.django_db
def test_a_database_of_this_version_is_left_as_it_is():
    said = []
    migrate(said.append)
    assert said == []


@pytest.mark.django_db
def test_a_database_that_an_earlier_squash_was_applied_to_is_of_this_version():
    MigrationRecorder(connection).record_applied("datasets_app", "0001_squashed_0002_indexes_roles_recipes")
    said = []
    migrate(said.append)
    assert said == []
