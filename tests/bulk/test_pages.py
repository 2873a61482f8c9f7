"""Tests of bulk verbs from the list's forms and from the API."""

import pytest

from datasets_app.models import BulkAction, SampleTag, Verification
from tests.api.clients import api, token_for
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
ACT = "/browse/act/"


def form(do, **fields):
    return {"do": do, "query": "", "expected": "", "next": "/browse/?view=all", "tag": "fast", **fields}


def test_a_selection_is_tagged_and_the_list_offers_to_undo_it(annotator):
    sample = make_sample()
    answer = annotator.post(ACT, form("tag:selected", sample=[str(sample.pk)]))
    assert (answer.status_code, answer.url) == (302, "/browse/?view=all")
    page = annotator.get(answer.url).content.decode()
    assert "Tagged 1 sample with fast." in page
    assert 'id="undo"' in page
    made = BulkAction.objects.get()
    annotator.post(f"/browse/actions/{made.pk}/undo/", {"next": "/browse/?view=all"})
    assert not SampleTag.objects.exists()
    assert "Undone for 1 sample" in annotator.get("/browse/?view=all").content.decode()


def test_the_bar_is_closed_by_its_own_button(annotator):
    annotator.post(ACT, form("tag:selected", sample=[str(make_sample().pk)]))
    annotator.post(f"/browse/actions/{BulkAction.objects.get().pk}/dismiss/")
    assert 'id="bar"' not in annotator.get("/browse/?view=all").content.decode()


def test_the_whole_result_is_asked_for_again_when_its_count_has_changed(annotator):
    make_sample(generator="a")
    make_sample(generator="a")
    answer = annotator.post(ACT, form("tag:all", query="generator=a", expected="1"))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "all 2 of the result" in page
    assert 'value="fast"' in page
    assert not SampleTag.objects.exists()
    annotator.post(ACT, form("tag:all", query="generator=a", expected="2"))
    assert SampleTag.objects.count() == 2


def test_a_refused_action_comes_back_with_everything_that_was_chosen(annotator):
    sample = make_sample()
    answer = annotator.post(ACT, form("tag:selected", sample=[str(sample.pk)], tag="two words"))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "cannot be a tag" in page
    assert 'value="two words"' in page
    assert f'name="sample" value="{sample.pk}"' in page


def test_nothing_ticked_is_said(annotator):
    answer = annotator.post(ACT, form("tag:selected"))
    assert answer.status_code == 400
    assert "tick some rows" in answer.content.decode()


def test_a_running_action_shows_its_progress_and_nobody_else_sees_it(annotator, reader, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.asking.AT_ONCE", 0)
    annotator.post(ACT, form("tag:all", expected="1", sample=[str(make_sample().pk)]))
    made = BulkAction.objects.get()
    assert "0 of 1; waiting for a worker" in annotator.get(f"/browse/actions/{made.pk}/").content.decode()
    assert reader.get(f"/browse/actions/{made.pk}/").status_code == 404


def test_an_address_elsewhere_is_not_gone_back_to(annotator):
    answer = annotator.post(
        ACT, form("tag:selected", sample=[str(make_sample().pk)], next="https://example.org/")
    )
    assert answer.url == "/browse/"


def test_a_reader_may_not_act(reader):
    assert reader.post(ACT, form("tag:all", expected="0")).status_code == 403


def test_a_program_tags_a_filter_follows_the_action_and_takes_it_back():
    client = api(token_for(make_user("annotator"), "read", "annotate"))
    make_sample(generator="a")
    body = {"action": "tag", "query": "generator=a", "tag": "fast", "expected": 1}
    made = client.post("/api/v1/bulk-actions/", body)
    assert made.status_code == 201
    assert made.json()["changed"] == 1
    address = f"/api/v1/bulk-actions/{made.json()['id']}/"
    assert client.get(address).json()["can_undo"] is True
    assert client.post(f"{address}undo/").json()["state"] == "done"
    assert not SampleTag.objects.exists()
    again = client.post(f"{address}undo/")
    assert (again.status_code, again.json()["detail"]) == (409, "It has already been undone.")


def test_a_program_asks_for_counters_and_for_a_host_as_the_page_does():
    client = api(token_for(make_user("annotator"), "read", "annotate"))
    make_sample(language="cuda")
    body = {"action": "verify", "query": "", "device": "cuda", "inspect": True, "requires": "memory:80"}
    assert client.post("/api/v1/bulk-actions/", body).status_code == 201
    row = Verification.objects.get()
    assert (row.inspect, row.requirement) == (True, "memory:80")


@pytest.mark.parametrize(
    "body",
    [
        {"action": "tag", "tag": "x"},
        {"action": "tag", "tag": "x", "query": "", "expected": 7},
        {"action": "tag", "tag": "x", "query": "colour=red"},
        {"action": "tag", "tag": "x", "samples": ["nonsense"]},
        {"action": "paint", "query": ""},
    ],
)
def test_the_api_refuses_what_it_cannot_do_with_a_sentence(body):
    make_sample()
    answer = api(token_for(make_user("annotator"), "read", "annotate")).post("/api/v1/bulk-actions/", body)
    assert answer.status_code == 400
    assert not BulkAction.objects.exists()


def test_a_token_without_the_scope_may_not_act():
    answer = api(token_for(make_user("annotator"), "read")).post("/api/v1/bulk-actions/", {"action": "tag"})
    assert answer.status_code == 403


def test_verifying_collects_counters_where_that_is_ticked(annotator):
    samples = [make_sample(), make_sample()]
    assert 'name="inspect" value="1"' in annotator.get("/browse/?view=all").content.decode()
    for sample, ticked in zip(samples, ({"inspect": "1"}, {}), strict=True):
        chosen = form("verify:selected", sample=[str(sample.pk)], profile="quick", device="auto", **ticked)
        assert annotator.post(ACT, chosen).status_code == 302
    asked = dict(Verification.objects.values_list("sample", "inspect"))
    assert asked == {samples[0].pk: True, samples[1].pk: False}
