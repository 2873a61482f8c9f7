import pytest
from django.db import IntegrityError
from django.utils import timezone

from tests.factories import make_sample


@pytest.mark.django_db
def test_a_speedup_without_a_pass_cannot_be_stored():
    with pytest.raises(IntegrityError):
        make_sample(outcome="wrong_value", verified_at=timezone.now(), measured_speedup=2.0)


@pytest.mark.django_db
def test_an_outcome_without_a_date_cannot_be_stored():
    with pytest.raises(IntegrityError):
        make_sample(outcome="passed")
