"""Tests of one request: what is kept of an answer, and how long the next try waits."""

import pytest

from datasets_app.synthesize import asking
from datasets_app.synthesize.asking import waiting_s
from datasets_app.synthesize.errors import TryAgainError
from tests.synthesize.model_server import SILENCE_S, after_s, block, by_seed, falls_silent, streams


@pytest.mark.django_db
def test_log_probabilities_are_asked_for_and_their_mean_is_kept(ended, server):
    server.usual = streams(block(1), logprobs=(-0.25, -0.5, -1.5))
    candidate = ended(tasks=1, sampling={"logprobs": True}).candidates.get()
    assert [request["logprobs"] for request in server.requests] == [True]
    assert (candidate.mean_logprob, candidate.sample.body.extra["mean_logprob"]) == (-0.75, -0.75)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_is_taken_under_either_name_that_endpoints_give_it(ended, server, name):
    server.usual = streams(block(1), "Fuse both.", reasoning_as=name)
    assert ended(tasks=1).candidates.get().sample.body.reasoning == "Fuse both."


@pytest.mark.django_db
@pytest.mark.parametrize("silent", [after_s(SILENCE_S, by_seed), falls_silent])
def test_an_endpoint_that_falls_silent_is_a_timeout(ended, server, monkeypatch, silent):
    monkeypatch.setattr("datasets_app.synthesize.endpoint.SILENT_S", 1.0)
    monkeypatch.setattr(asking, "MOST_TRIES", 1)
    server.usual = silent
    candidate = ended(tasks=1).candidates.get()
    assert (candidate.state, candidate.reason) == ("failed", "timeout")
    assert candidate.detail == "no part of an answer for 1 s"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("-3", 0.0), ("1e9", 120.0), ("", None), ("Wed, 21 Oct", None)],
)
def test_the_time_that_an_endpoint_asks_for_is_bounded(header, seconds):
    # Late: the library that it imports would take a second of every collection of the tests.
    from datasets_app.synthesize.endpoint import wait_of

    assert wait_of(header) == seconds


def test_a_try_waits_as_long_as_is_asked_for_else_twice_as_long_each_time():
    assert waiting_s(TryAgainError("rate_limit", "", 7.0), 1) == 7.0
    assert [
        0.5 * 2**tries <= waiting_s(TryAgainError("http_500", ""), tries + 1) <= 2**tries
        for tries in range(6)
    ] == [True] * 6
    assert waiting_s(TryAgainError("http_500", ""), 40) <= 60.0
