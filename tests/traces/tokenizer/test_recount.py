"""Tests of updating trace lengths to the current tokenizer."""

import pytest
from django.core.management import call_command

from datasets_app.accounts.actor import SITE
from datasets_app.db.facet_index import read
from datasets_app.maintenance import runs, token_counts
from datasets_app.models import MaintenanceKind, MaintenanceRun, Sample
from datasets_app.traces import lengths
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def test_a_recount_brings_every_trace_to_the_present_tokenizer():
    old, mute = make_sample(reasoning="Fuse the loads."), make_sample(reasoning="")
    assert old.tokenizer == "words"
    call_command("maintenance", "tokens")
    old.refresh_from_db()
    mute.refresh_from_db()
    assert (old.trace_tokens, old.tokenizer) == (
        lengths.count_tokens("Fuse the loads."),
        lengths.tokenizer_name(),
    )
    assert (mute.trace_tokens, mute.tokenizer) == (None, "")
    assert MaintenanceRun.objects.get().done == 1


def test_a_recount_that_was_stopped_goes_on_where_it_ended(monkeypatch):
    monkeypatch.setattr(token_counts, "BATCH", 2)
    for _ in range(5):
        make_sample()
    first = next(token_counts.batches())
    token_counts.recount(first)
    job = runs.run(runs.request(MaintenanceKind.TOKENS, SITE).pk)
    assert (job.done, job.total, job.detail) == (3, 3, lengths.tokenizer_name())
    assert not token_counts.waiting().exists()


def test_pages_can_say_how_many_traces_each_tokenizer_counted():
    make_sample()
    make_sample()
    token_counts.recount([Sample.objects.order_by("pk").first().pk])
    reading = read()
    assert set(token_counts.by_tokenizer(reading, reading.everything)) == {
        ("words", 1),
        (lengths.tokenizer_name(), 1),
    }


def test_a_tokenizer_that_went_missing_fails_the_run_with_its_reason(settings):
    make_sample()
    job = runs.request(MaintenanceKind.TOKENS, SITE)
    settings.TOKENIZER = "/nowhere/tokenizer.json"
    runs.run(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "/nowhere/tokenizer.json cannot be read" in job.error
