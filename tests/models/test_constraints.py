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


@pytest.mark.django_db
def test_an_older_verification_does_not_overwrite_a_newer_one():
    sample = make_sample()
    now = timezone.now()
    sample.record_evidence(outcome="passed", measured_speedup=2.0, device="H200", verified_at=now)
    sample.record_evidence(
        outcome="cheated", measured_speedup=None, device="H100", verified_at=now - timezone.timedelta(hours=1)
    )
    sample.refresh_from_db()
    assert (sample.outcome, sample.device) == ("passed", "H200")
