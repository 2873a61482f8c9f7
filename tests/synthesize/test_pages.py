"""Tests of the pages: start, follow, read what was not stored, go on."""

import pytest
from django.urls import reverse

from datasets_app.models import Synthesis, Task
from datasets_app.synthesize.run import run_synthesis
from tests.factories import make_task, make_user
from tests.synthesize.model_server import streams
from tests.verifications import H200, timed

pytestmark = pytest.mark.django_db
FORM = {
    "name": "first", "endpoint": "local", "model": "maker/model-7b", "template": "zero-shot", "per_task": "2",
    "at_once": "4", "temperature": "0.6",
}  # fmt: skip


@pytest.fixture
def curator(client):
    client.force_login(make_user("curator"))
    return client


def texts(response):
    return response.content.decode()


def test_a_curator_asks_and_is_led_to_the_progress(curator, server):
    make_task()
    asked = curator.post(reverse("synthesize"), FORM)
    synthesis = Synthesis.objects.get()
    assert asked.status_code == 302
    assert asked["Location"] == synthesis.get_absolute_url()
    assert (synthesis.sampling, synthesis.per_task, synthesis.state) == ({"temperature": 0.6}, 2, "queued")
    page = texts(curator.get(synthesis.get_absolute_url()))
    assert "waiting for the site’s worker" in page
    assert "hx-get" in page
    run_synthesis(synthesis.pk)
    page = texts(curator.get(synthesis.get_absolute_url()))
    assert "2 of 2 answered" in page
    assert "Browse and verify its samples" in page
    assert "hx-get" not in page
    listed = texts(curator.get(reverse("synthesize")))
    assert "maker/model-7b" in listed


def test_what_cannot_be_asked_for_leaves_the_form_as_it_was(curator, server):
    Task.objects.all().delete()
    refused = curator.post(reverse("synthesize"), FORM)
    assert refused.status_code == 400
    assert "No task matches" in texts(refused)
    assert 'value="maker/model-7b"' in texts(refused)
    faulty = curator.post(reverse("synthesize"), FORM | {"temperature": "9"})
    assert "less than or equal to 2" in texts(faulty)
    assert '<details class="provenance" open>' in texts(faulty)


def test_without_an_endpoint_the_page_says_how_to_name_one(curator, settings):
    settings.ENDPOINTS = {}
    page = texts(curator.get(reverse("synthesize")))
    assert "CONCUR_ENDPOINTS" in page
    assert 'class="button is-primary" disabled' in page
    assert curator.post(reverse("synthesize"), FORM).status_code == 400


def test_what_was_not_stored_is_shown_with_its_reason_and_text(curator, ended, server):
    server.usual = streams(f"<script>alert(1)</script> {'no kernel ' * 1000}")
    synthesis = ended(tasks=1)
    page = texts(curator.get(synthesis.get_absolute_url()))
    assert "no_code_block" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    whole = curator.get(reverse("synthesis-answer", args=[synthesis.pk, synthesis.candidates.get().pk]))
    assert whole["Content-Type"] == "text/plain; charset=utf-8"
    assert texts(whole).endswith("no kernel ")
    assert page.count("no kernel ") < 500


def test_one_that_ran_out_of_its_budget_goes_on_with_a_larger_one(curator, ended):
    synthesis = ended(tasks=5, at_once=1, most_tokens=20)
    page = texts(curator.get(synthesis.get_absolute_url()))
    assert "36 tokens were used, and 20 are allowed" in page
    assert "Ask for the 3 left" in page
    url = reverse("synthesis-continue", args=[synthesis.pk])
    assert "in digits" in texts(curator.post(url, {"most_tokens": "many"}, follow=True))
    assert "3 candidates will be asked for" in texts(curator.post(url, {"most_tokens": "1000"}, follow=True))
    run_synthesis(synthesis.pk)
    synthesis.refresh_from_db()
    assert synthesis.candidates.tally()["stored"] == 5


def test_it_is_cancelled_once(curator, begun):
    synthesis = begun()
    url = reverse("synthesis-cancel", args=[synthesis.pk])
    assert "What was answered is stored" in texts(curator.post(url, follow=True))
    assert "It has ended already" in texts(curator.post(url, follow=True))


def test_annotators_read_and_do_not_ask(client, server, ended):
    synthesis = ended(tasks=1)
    client.force_login(make_user("annotator"))
    assert client.get(synthesis.get_absolute_url()).status_code == 200
    assert "Ask for candidates" not in texts(client.get(reverse("synthesize")))
    assert client.post(reverse("synthesize"), FORM).status_code == 403


def test_the_lists_cost_the_same_however_many_there_are(
    curator, ended, server, django_assert_max_num_queries
):
    server.usual = streams("none")
    for number in range(4):
        synthesis = ended(tasks=3, name=f"number-{number}")
    with django_assert_max_num_queries(9):
        curator.get(reverse("synthesize"))
    with django_assert_max_num_queries(12):
        curator.get(synthesis.get_absolute_url())


def test_what_was_measured_is_shown_with_what_is_not_verified_counted_as_wrong(curator, ended):
    synthesis = ended(tasks=2, per_task=2)
    assert "Measured" not in texts(curator.get(synthesis.get_absolute_url()))
    timed(synthesis.candidates.first().sample, 2.0, H200)
    page = texts(curator.get(synthesis.get_absolute_url()))
    assert f"on {H200}; every task counts once" in page
    assert "is not verified yet (3) counts as wrong" in page
    assert "<dd>0.250</dd>" in page, "fast_1: half of one of two tasks"
    assert "best@2" in page
