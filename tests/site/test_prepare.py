"""Tests of the preparation of the data folder before a start; test_demo.py has what the demo pack brings."""

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from concur_site.up.demo import add_demo_pack
from concur_site.up.prepare import migrate
from datasets_app.models import Sample, Verification


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


@pytest.mark.django_db
def test_verifying_the_demo_pack_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("CONCUR_DEMO_VERIFY", "0")
    add_demo_pack(print)
    assert not Verification.objects.unfinished().exists()
    assert Verification.objects.finished().exists()


@pytest.mark.django_db
def test_the_demo_pack_is_added_once_and_only_if_it_is_wanted(monkeypatch):
    monkeypatch.setenv("CONCUR_DEMO", "0")
    add_demo_pack(print)
    assert not Sample.objects.exists()
    monkeypatch.setenv("CONCUR_DEMO", "1")
    add_demo_pack(print)
    before = Sample.objects.count(), Verification.objects.count()
    add_demo_pack(print)
    assert (Sample.objects.count(), Verification.objects.count()) == before
