"""Tests of whole syntheses against a real server: every candidate is accounted for, whatever the endpoint does."""

import json
import logging
import time

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.jobs import job_row
from datasets_app.models import (
    AuditEntry,
    Candidate,
    Ingest,
    MaintenanceKind,
    MaintenanceRun,
    Sample,
    Synthesis,
)
from datasets_app.synthesize.run import Run, run_synthesis
from datasets_app.synthesize.verbs import cancel, go_on
from tests.synthesize.conftest import KEY
from tests.synthesize.model_server import (
    SILENCE_S,
    after_s,
    another_shape,
    block,
    by_seed,
    cut_off,
    each_once,
    falls_silent,
    hangs_up,
    malformed,
    status,
    streams,
)

pytestmark = pytest.mark.django_db


def test_every_candidate_becomes_a_sample_with_what_it_was_asked_with(ended, server):
    synthesis = ended(tasks=2, per_task=2, sampling={"temperature": 0.6, "max_tokens": 4096})
    assert (synthesis.state, synthesis.error, synthesis.stopped) == ("done", "", "")
    assert synthesis.candidates.tally() == {"waiting": 0, "stored": 4, "refused": 0, "failed": 0}
    candidate = synthesis.candidates.select_related("sample__body", "sample__source", "task__body").first()
    sample = candidate.sample
    assert sample.task == candidate.task
    assert sample.body.reasoning == f"Thinking of {candidate.seed}."
    assert f"return x + {candidate.seed}" in sample.body.kernel_code
    assert (sample.generator, sample.source.name) == ("maker/model-7b", "first")
    assert sample.sampling == {"temperature": 0.6, "max_tokens": 4096, "seed": 100, "prompt": "zero-shot 1"}
    assert sample.body.extra["answer_tokens"] == 11
    assert (candidate.prompt_tokens, candidate.answer_tokens, candidate.tries) == (7, 11, 1)
    assert synthesis.candidates.tokens() == 72
    asked = next(
        one
        for one in server.requests
        if candidate.task.body.pytorch_code.strip() in one["messages"][1]["content"]
    )
    assert (asked["model"], asked["temperature"], asked["stream"]) == ("maker/model-7b", 0.6, True)
    assert Ingest.objects.get(pk=synthesis.ingest_id).new_samples == 4
    assert server.most_at_once <= 4


def test_the_key_is_sent_and_never_stored_or_logged(ended, server, caplog):
    with caplog.at_level(logging.DEBUG):
        synthesis = ended()
    assert caplog.text
    assert KEY not in caplog.text
    assert server.keys == {f"Bearer {KEY}"}
    stored = [*Synthesis.objects.values(), *Candidate.objects.values(), *AuditEntry.objects.values()]
    assert KEY not in repr(stored)
    assert synthesis.state == "done"


def test_two_hundred_candidates_with_every_fault_end_as_two_hundred_accounted_for(ended, server, monkeypatch):
    monkeypatch.setattr("datasets_app.synthesize.endpoint.SILENT_S", SILENCE_S - 1)
    faults = [
        status(429, Retry_After="0"),
        status(500),
        status(503, "not JSON"),
        cut_off,
        malformed,
        another_shape,
        hangs_up,
        streams("No code at all."),
        streams(f"```python\n{'x' * 100}", finish="length"),
        streams(block(1) + block(2)),
        streams(""),
        status(400),
    ]
    server.usual = each_once([after_s(SILENCE_S, by_seed), falls_silent, *faults * 10])
    synthesis = ended(tasks=50, per_task=4, at_once=8)
    tally = synthesis.candidates.tally()
    assert (synthesis.state, synthesis.error) == ("done", "")
    assert sum(tally.values()) == 200
    assert tally == {"waiting": 0, "stored": 150, "refused": 40, "failed": 10}
    assert len(server.requests) == 272, "what may pass is sent again, a request that was refused is not"
    assert dict(synthesis.candidates.reasons()) == {
        "empty": 10,
        "no_code_block": 10,
        "request_refused": 10,
        "truncated": 10,
        "two_model_new": 10,
    }
    assert Sample.objects.filter(candidates__synthesis=synthesis).distinct().count() == tally["stored"]
    kept = synthesis.candidates.filter(reason="two_model_new").first()
    assert kept.answer == block(1) + block(2), "what was answered is not lost"


def test_an_endpoint_that_is_away_ends_it_with_what_to_do_and_it_goes_on_later(begun, server):
    server.usual, usual = status(503), server.usual
    synthesis = begun(tasks=20, at_once=2)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert synthesis.state == "failed"
    assert "8 requests in a row came to nothing" in synthesis.error
    assert "503" in synthesis.error
    waiting = synthesis.candidates.tally()["waiting"]
    assert waiting >= 10
    server.usual = usual
    assert go_on(synthesis, COMMAND, in_background=False) == 20
    run_synthesis(synthesis.pk)
    assert synthesis.candidates.tally()["stored"] == 20


def test_what_was_answered_before_a_fault_is_stored_and_found(begun, server):
    synthesis = begun(tasks=6, at_once=1)
    server.answers = [server.usual, server.usual]
    server.usual = status(403)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert (synthesis.state, synthesis.candidates.tally()["stored"]) == ("failed", 2)
    assert MaintenanceRun.objects.filter(kind=MaintenanceKind.NEIGHBOURS).exists()


def test_an_answer_that_is_under_way_at_a_fault_is_stored_and_paid_for_once(begun, server):
    synthesis = begun(tasks=6, at_once=2)
    server.answers = [after_s(1.0, server.usual)]
    server.usual = status(403)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert (synthesis.state, synthesis.candidates.tally()["stored"]) == ("failed", 1)
    assert len(server.requests) == 2, "none is sent after the fault"


def test_a_wrong_key_ends_it_at_once(begun, server):
    server.usual = status(401, '{"error": {"message": "this key is not known"}}')
    synthesis = begun(tasks=20, at_once=1)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert synthesis.state == "failed"
    assert "401" in synthesis.error
    assert "this key is not known" in synthesis.error
    assert len(server.requests) == 1
    assert synthesis.candidates.tally()["waiting"] == 20


@pytest.mark.parametrize("code", [302, 307])
def test_an_endpoint_that_leads_elsewhere_is_not_followed(begun, server, code):
    """An endpoint, or somebody on the way to it, would choose an address inside the network that is asked."""
    server.usual = status(code, Location=f"http://127.0.0.1:{server.port}/inside")
    synthesis = begun(tasks=3, at_once=1)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert synthesis.state == "failed"
    assert str(code) in synthesis.error
    assert len(server.requests) == 1


def test_an_endpoint_that_repeats_the_key_puts_it_nowhere(begun, server):
    server.usual = status(401, json.dumps({"error": {"message": f"the key {KEY} is not known"}}))
    synthesis = begun()
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert "the key (the key) is not known" in synthesis.error
    assert KEY not in synthesis.error


def test_a_budget_ends_it_between_two_requests_and_more_of_it_goes_on(ended):
    synthesis = ended(tasks=10, at_once=1, most_tokens=50)
    assert synthesis.state == "done"
    assert synthesis.stopped.startswith("54 tokens were used, and 50 are allowed")
    assert synthesis.candidates.tally()["stored"] == 3
    go_on(synthesis, COMMAND, most_tokens=10_000, in_background=False)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert (synthesis.stopped, synthesis.candidates.tally()["stored"]) == ("", 10)


def test_a_worker_that_dies_loses_no_answer_that_was_stored_and_asks_for_the_rest(begun, monkeypatch):
    synthesis, original, taken = begun(tasks=6, at_once=1), Run.take, []

    def dies_after_two(self, outcomes):
        taken.extend(outcomes)
        if len(taken) > 2:
            raise KeyboardInterrupt
        original(self, outcomes)

    monkeypatch.setattr(Run, "take", dies_after_two)
    with pytest.raises(KeyboardInterrupt):
        run_synthesis(synthesis.pk)
    monkeypatch.setattr(Run, "take", original)
    assert synthesis.candidates.tally()["stored"] == 2
    Synthesis.objects.update(state="queued", lease_until=None)
    run_synthesis(synthesis.pk)
    assert synthesis.candidates.tally()["stored"] == 6
    assert Sample.objects.count() == 6


def test_a_cancelled_one_stops_and_keeps_what_it_has(begun, monkeypatch):
    synthesis, original = begun(tasks=6, at_once=1), Run.take

    def take(self, outcomes):
        original(self, outcomes)
        if synthesis.candidates.tally()["stored"] == 2 and Synthesis.objects.get().state == "running":
            cancel(synthesis, COMMAND)

    monkeypatch.setattr(Run, "take", take)
    run_synthesis(synthesis.pk)
    tally = synthesis.candidates.tally()
    assert (tally["stored"], tally["waiting"]) == (2, 4)
    assert Synthesis.objects.get().state == "cancelled"


def test_whoever_cancels_is_named(begun):
    synthesis = begun()
    cancel(synthesis, COMMAND)
    assert synthesis.state == "cancelled"
    assert synthesis.stopped.startswith("Cancelled by")
    run_synthesis(synthesis.pk)
    assert synthesis.candidates.tally()["waiting"] == 2


def test_a_second_answer_with_the_same_texts_is_the_same_sample(ended, server):
    server.usual = streams(block(1), "The same.")
    synthesis = ended(tasks=1, per_task=3)
    assert synthesis.candidates.tally()["stored"] == 3
    assert Sample.objects.count() == 1
    assert Ingest.objects.get().duplicates == 2


def test_an_answer_that_the_database_cannot_hold_is_refused_and_kept(ended, server):
    server.usual = streams("```python\nclass ModelNew:\n    x = '\x00'\n```")
    synthesis = ended(tasks=1)
    refused = synthesis.candidates.get()
    assert (refused.state, refused.reason) == ("refused", "not_storable")
    assert "NUL" in refused.detail
    assert "ModelNew" in refused.answer


def test_requests_keep_to_their_pace(ended, server):
    started = time.monotonic()
    ended(tasks=4, requests_a_minute=600, at_once=4)
    assert time.monotonic() - started >= 0.3, "four requests, a tenth of a second apart"
    assert len(server.requests) == 4


def test_what_the_endpoint_states_as_cost_is_kept_and_added_up(ended, server, reader):
    server.usual = streams(block(1), cost=0.00125)
    synthesis = ended(tasks=2)
    assert [one.cost for one in synthesis.candidates.all()] == [0.00125, 0.00125]
    assert synthesis.candidates.first().sample.body.extra["cost"] == 0.00125
    assert synthesis.candidates.cost() == 0.0025
    assert "<dt>Cost</dt><dd>0.002500</dd>" in reader.get(synthesis.get_absolute_url()).content.decode()


@pytest.mark.parametrize("cost", [None, -1, "free", float("inf"), True])
def test_a_cost_that_is_no_amount_is_none(ended, server, cost):
    server.usual = streams("No code.", cost=cost)
    assert ended(tasks=1).candidates.get().cost is None


def test_usage_that_the_endpoint_does_not_count_is_none(ended, server):
    server.usual = streams(block(1), usage=False)
    assert ended(tasks=1, most_tokens=5).candidates.tokens() == 0


def test_a_run_that_was_cancelled_and_still_works_stores_nothing_beside_the_one_that_goes_on(begun):
    synthesis = begun(tasks=4, at_once=1)
    old = job_row.claim(Synthesis, synthesis.pk)
    cancel(synthesis, COMMAND)
    go_on(synthesis, COMMAND, in_background=False)
    new = job_row.claim(Synthesis, synthesis.pk)
    assert new is not None
    with pytest.raises(job_row.LeaseLostError):
        job_row.renew(old)
    job_row.renew(new)
