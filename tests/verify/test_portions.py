"""Tests of a request over very many samples: transactions of bounded size, resumed after an interruption."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from datasets_app.models import Sample, Verification
from eval_app.management.commands import verify as command
from eval_app.request import portions
from tests.factories import make_sample

pytestmark = pytest.mark.django_db(transaction=True)
SAMPLES, PORTION = 7, 3


@pytest.fixture(autouse=True)
def small_portions(monkeypatch):
    monkeypatch.setattr(portions, "PORTION", PORTION)
    for _ in range(SAMPLES):
        make_sample()


@pytest.fixture
def interrupted(monkeypatch):
    """Return the batch of a request that was stopped after its first portion."""
    real = portions.request_verification

    def once(*args, **kwargs):
        if Verification.objects.exists():
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(portions, "request_verification", once)
    with pytest.raises(CommandError, match=r"stay queued\. Continue with --resume"):
        call_command("verify", all=True)
    monkeypatch.setattr(portions, "request_verification", real)
    return Verification.objects.values_list("batch", flat=True).distinct().get()


def asked():
    return sorted(Verification.objects.values_list("sample_id", flat=True))


def everyone():
    return sorted(Sample.objects.values_list("pk", flat=True))


def test_each_portion_is_a_transaction_of_its_own_and_all_are_one_batch(monkeypatch):
    open_between = []
    real = command.request_in_portions

    def watched(*args, **kwargs):
        for rows in real(*args, **kwargs):
            open_between.append((len(rows), connection.in_atomic_block))
            yield rows

    monkeypatch.setattr(command, "request_in_portions", watched)
    call_command("verify", all=True)
    assert open_between == [(3, False), (3, False), (1, False)]
    assert asked() == everyone()
    assert Verification.objects.values("batch", "priority").distinct().count() == 1


def test_what_was_asked_for_before_an_interruption_stays(interrupted):
    assert Verification.objects.count() == PORTION


def test_a_request_goes_on_where_it_was_interrupted_and_asks_for_nothing_twice(interrupted):
    Verification.objects.update(state="failed")  # finished meanwhile: not requested again
    call_command("verify", all=True, resume=interrupted)
    assert asked() == everyone()
    assert set(Verification.objects.values_list("batch", flat=True)) == {interrupted}


@pytest.mark.parametrize("wrong", ["batch", "profile"])
def test_a_batch_that_is_not_there_or_has_another_profile_is_refused(interrupted, wrong):
    batch = "00000000-0000-4000-8000-000000000000" if wrong == "batch" else str(interrupted)
    with pytest.raises(CommandError, match=f"atch {batch}"):
        call_command("verify", "--all", "--resume", batch, "--profile", "thorough")
