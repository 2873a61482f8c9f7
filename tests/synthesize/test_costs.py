"""Tests of what answers cost: as stated or by price, added up, and held to a limit of each synthesis and its turns."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.urls import reverse

from concur_site import env
from datasets_app.accounts.actor import COMMAND
from datasets_app.synthesize.answers import Answer
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.loops import continue_loop
from datasets_app.synthesize.prices import Price, price_of, priced
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import used_by
from datasets_app.synthesize.verbs import go_on
from tests.factories import make_user
from tests.synthesize.model_server import block, streams
from tests.synthesize.turns import by_turn, take_through, turns_of

AN_ANSWER = (7 * 1_000 + 11 * 10_000) / 1e6  # of 7 tokens of prompt and 11 of answer, at the prices of `dear`


@pytest.fixture
def dear(settings):
    settings.PRICES = {"local": (1_000.0, 10_000.0)}


def test_a_price_is_of_a_million_tokens_of_prompts_and_of_answers(settings):
    settings.PRICES = {"hosted": (0.25, 1.5), "hosted/maker/small": (0.1, 0.4)}
    assert price_of("hosted", "maker/small") == Price(0.1, 0.4), (
        "that of the model goes before the endpoint's"
    )
    assert price_of("local", "maker/small") is None
    answer = Answer("", prompt_tokens=2_000_000, answer_tokens=500_000)
    assert priced(answer, price_of("hosted", "another")).cost == 1.25
    assert priced(answer, None).cost is None
    assert priced(Answer("", prompt_tokens=9, cost=0.5), Price(1, 1)).cost == 0.5, "what is stated counts"
    assert priced(Answer(""), Price(1, 1)).cost is None, "nothing was counted"


@pytest.mark.parametrize("text", ["hosted", "hosted=1", "hosted=1/x", "=1/2", "hosted=-1/2", "a=1/2,b=nan/1"])
def test_a_price_that_is_none_is_refused_by_name(monkeypatch, text):
    monkeypatch.setenv("CONCUR_PRICES", text)
    with pytest.raises(ImproperlyConfigured, match="CONCUR_PRICES"):
        env.prices("CONCUR_PRICES")


def test_prices_are_read_by_endpoint_and_by_model(monkeypatch):
    monkeypatch.setenv("CONCUR_PRICES", "hosted=0.25/1.5, hosted/maker/small:free=0/0")
    assert env.prices("CONCUR_PRICES") == {"hosted": (0.25, 1.5), "hosted/maker/small:free": (0.0, 0.0)}


@pytest.mark.django_db
def test_an_endpoint_that_states_no_cost_is_counted_by_its_price(ended, dear, reader):
    synthesis = ended(tasks=2)
    assert [one.cost for one in synthesis.candidates.all()] == [pytest.approx(AN_ANSWER)] * 2
    assert synthesis.candidates.first().sample.body.extra["cost"] == pytest.approx(AN_ANSWER)
    assert "<dt>Cost</dt><dd>0.234000</dd>" in reader.get(synthesis.get_absolute_url()).content.decode()


@pytest.mark.django_db
def test_a_limit_of_cost_ends_it_between_two_requests_and_a_higher_one_goes_on(ended, dear, server):
    synthesis = ended(tasks=6, at_once=1, most_cost=0.3)
    assert (synthesis.state, len(server.requests)) == ("done", 3)
    assert synthesis.stopped.startswith("The answers cost 0.351, and 0.3 is allowed")
    go_on(synthesis, COMMAND, most_cost=9.0, in_background=False)
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert (synthesis.stopped, synthesis.candidates.tally()["stored"]) == ("", 6)


@pytest.mark.django_db
def test_a_limit_that_cannot_be_held_ends_it_at_the_first_answer(ended, server, settings):
    synthesis = ended(tasks=6, at_once=1, most_cost=0.3)
    assert (synthesis.state, len(server.requests)) == ("failed", 1)
    assert "CONCUR_PRICES" in synthesis.error
    assert synthesis.candidates.tally()["stored"] == 1, "what was paid for is kept"
    settings.PRICES = {"local/maker/model-7b": (1, 1)}
    go_on(synthesis, COMMAND, in_background=False)
    run_synthesis(synthesis.pk)
    assert synthesis.candidates.tally()["stored"] == 6


@pytest.mark.django_db
def test_a_limit_of_tokens_that_nobody_counts_ends_it_at_the_first_answer(ended, server):
    server.usual = lambda handler, request: streams(block(request["seed"]), usage=False)(handler, request)
    synthesis = ended(tasks=6, at_once=1, most_tokens=30)
    assert (synthesis.state, len(server.requests)) == ("failed", 1)
    assert "counts no tokens" in synthesis.error
    assert synthesis.candidates.tally()["stored"] == 1, "what was answered is kept"


@pytest.mark.django_db
def test_the_limit_holds_for_all_turns_and_the_judge_together(looped, server, settings):
    settings.PRICES = {"local": (1_000, 10_000), "local/judge-1": (10_000, 10_000)}
    loop = looped(tasks=1, most_turns=9, most_cost=0.6, judge_endpoint="local", judge_model="judge-1")
    take_through(loop, by_turn("wrong_value"))
    loop.refresh_from_db()
    first, second, third = turns_of(loop)
    assert loop.ended_by == "budget"
    assert [one.candidates.cost() for one in (first, second)] == [
        pytest.approx(AN_ANSWER),
        pytest.approx(AN_ANSWER + 18 * 10_000 / 1e6),
    ]
    assert third.most_cost == pytest.approx(0.6 - used_by(loop).cost + third.candidates.cost())
    continue_loop(loop, COMMAND, most_cost=2.0, most_turns=4, in_background=False)
    take_through(loop, by_turn("wrong_value"))
    loop.refresh_from_db()
    assert (loop.ended_by, len(turns_of(loop))) == ("turns", 4)


@pytest.mark.django_db
def test_what_is_left_of_a_limit_by_rounding_alone_is_nothing(looped, server):
    server.usual = lambda handler, request: streams(block(request["seed"]), cost=0.1)(handler, request)
    loop = take_through(looped(tasks=8, most_turns=9, most_cost=0.8), by_turn("wrong_value"))
    assert used_by(loop).cost < 0.8, "eight times 0.1, added up"
    assert (loop.state, loop.ended_by, loop.error) == ("done", "budget", "")
    assert len(turns_of(loop)) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("cost", [0, -1.0, float("nan"), float("inf")])
def test_a_limit_that_is_no_amount_is_refused(ended, begun, cost):
    with pytest.raises(SynthesisError, match="cost that is allowed"):
        begun(most_cost=cost)


@pytest.mark.django_db
def test_pages_programs_and_commands_take_the_limit(ended, dear, client, capsys):
    client.force_login(make_user("curator"))
    synthesis = ended(tasks=4, at_once=1, most_cost=0.2)
    page = client.get(synthesis.get_absolute_url()).content.decode()
    assert 'name="most_cost" inputmode="decimal" value="0.2"' in page
    assert "a cost of 0.2" in page
    address = reverse("synthesis-continue", args=[synthesis.pk])
    faulty = client.post(address, {"most_cost": "much"}, follow=True).content.decode()
    assert "tokens and cost as numbers in digits" in faulty
    client.post(address, {"most_cost": "0.3"})
    synthesis.refresh_from_db()
    assert (synthesis.state, synthesis.most_cost) == ("queued", 0.3)
    run_synthesis(synthesis.pk)
    told = client.get(f"/api/v1/syntheses/{synthesis.pk}/").json()
    assert (told["most_cost"], told["candidates"]["waiting"]) == (0.3, 1)
    again = f"/api/v1/syntheses/{synthesis.pk}/continue/"
    assert client.post(again, {"most_cost": 0}, content_type="application/json").status_code == 400
    call_command("synthesize", "continue", "first", "--most-cost", "1")
    assert '"cost": 0.468' in capsys.readouterr().out


@pytest.mark.django_db
def test_each_tokens_log_probability_is_kept_beside_their_mean(ended, server, client):
    server.usual = streams(block(1), logprobs=(-0.25, -0.5, -1.5))
    synthesis = ended(tasks=1, sampling={"logprobs": True})
    candidate = synthesis.candidates.get()
    assert candidate.logprobs == [["x", -0.25], ["x", -0.5], ["x", -1.5]]
    client.force_login(make_user("reader"))
    address = f"/api/v1/syntheses/{synthesis.pk}/candidates/"
    assert client.get(f"{address}{candidate.pk}/").json()["logprobs"] == candidate.logprobs
    assert "logprobs" not in client.get(address).json()["results"][0]


@pytest.mark.django_db
def test_without_a_wish_for_them_no_log_probability_is_kept(ended):
    assert ended(tasks=1).candidates.get().logprobs is None
