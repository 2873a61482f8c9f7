"""Bringing trace lengths to the present tokenizer."""

import pytest
from django.core.management import call_command

from datasets_app import recount, tokens, upkeep
from datasets_app.accounts.actor import SITE
from datasets_app.bits import read
from datasets_app.browse import BrowseFilter
from datasets_app.browse.sets import Sets
from datasets_app.models import Sample, Upkeep, UpkeepKind
from tests.factories import make_sample

pytestmark = pytest.mark.django_db


def test_a_recount_brings_every_trace_to_the_present_tokenizer():
    old, mute = make_sample(reasoning="Fuse the loads."), make_sample(reasoning="")
    assert old.tokenizer == "words"
    call_command("upkeep", "tokens")
    old.refresh_from_db()
    mute.refresh_from_db()
    assert (old.trace_tokens, old.tokenizer) == (
        tokens.count_tokens("Fuse the loads."),
        tokens.tokenizer_name(),
    )
    assert (mute.trace_tokens, mute.tokenizer) == (None, "")
    assert Upkeep.objects.get().done == 1


def test_a_recount_that_was_stopped_goes_on_where_it_ended(monkeypatch):
    monkeypatch.setattr(recount, "BATCH", 2)
    for _ in range(5):
        make_sample()
    first = next(recount.batches())
    recount.recount(first)
    job = upkeep.run(upkeep.request(UpkeepKind.TOKENS, SITE).pk)
    assert (job.done, job.total, job.detail) == (3, 3, tokens.tokenizer_name())
    assert not recount.waiting().exists()


def test_pages_can_say_how_many_traces_each_tokenizer_counted():
    make_sample()
    make_sample()
    recount.recount([Sample.objects.order_by("pk").first().pk])
    assert set(recount.by_tokenizer(Sets(BrowseFilter(), read()))) == {
        ("words", 1),
        (tokens.tokenizer_name(), 1),
    }


def test_a_tokenizer_that_went_missing_fails_the_run_with_its_reason(settings):
    make_sample()
    job = upkeep.request(UpkeepKind.TOKENS, SITE)
    settings.TOKENIZER = "/nowhere/tokenizer.json"
    upkeep.run(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "/nowhere/tokenizer.json cannot be read" in job.error
