from uuid import uuid4

import pytest

from datasets_app.db.uuids import among
from datasets_app.models import Sample
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def test_ids_are_found_as_objects_and_as_texts_however_often_they_are_given():
    one, other = make_sample(), make_sample()
    make_sample()
    named = [one.pk, str(one.pk), other.pk.hex, uuid4()]
    assert set(Sample.objects.filter(pk__in=among(named))) == {one, other}


def test_no_id_finds_nothing():
    make_sample()
    assert not Sample.objects.filter(pk__in=among([])).exists()


def test_more_ids_are_found_than_a_statement_may_have_parameters(django_assert_num_queries):
    one = make_sample()
    with django_assert_num_queries(1):
        assert Sample.objects.filter(pk__in=among([one.pk, *(uuid4() for _ in range(300_000))])).get() == one
