"""Tests of a request by query: counted before it is made, confirmed where it is large, and nothing typed is lost."""

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry, Verification
from eval_app.models import VerificationBatch
from eval_app.pages import preview
from eval_app.request.verify import request_verification
from eval_app.site_worker import announcements
from tests.factories import make_sample
from tests.verify.test_pace import finished_in
from tests.verify.test_pages import CPU_WORKER

pytestmark = pytest.mark.django_db


@pytest.fixture
def three():
    return [make_sample(language="cpp") for _ in range(2)] + [make_sample(language="cuda")]


def preview_page(client, **fields):
    return client.get(reverse("verify-new"), fields).content.decode()


def ask(client, **fields):
    return client.post(reverse("verify-ask"), fields)


def test_the_button_names_the_number_before_it_is_pressed(annotator, three):
    page = preview_page(annotator, query="language:cpp", profile="standard")
    assert ">Verify 2 samples</button>" in page
    assert "C++ samples" in page
    assert "Profile standard, 2 on CPU" in page
    assert 'name="confirmed"' not in page


def test_the_part_that_htmx_gets_is_the_count_alone(annotator, three):
    headers = {"HX-Request": "true", "HX-Target": "ask-preview"}
    part = annotator.get(reverse("verify-new"), {"query": "language:cuda"}, headers=headers).content.decode()
    assert "<html" not in part
    assert ">Verify 1 sample</button>" in part
    assert "CUDA: waits for a CUDA worker; none has been seen" in part


def test_a_counted_query_is_verified_and_its_batch_has_the_querys_name_and_person(annotator, three):
    response = ask(annotator, query="language:cpp", count="2")
    batch = VerificationBatch.objects.get()
    assert response.url == batch.get_absolute_url()
    assert batch.title == "C++ samples"
    assert batch.requested_by == annotator.get(reverse("account")).context["user"]
    assert Verification.objects.filter(batch=batch.pk).count() == 2


def test_the_answer_says_what_was_requested_and_what_no_worker_takes(annotator, three):
    announcements.announce("box", CPU_WORKER)
    answers = [
        annotator.post(reverse("verify-ask"), fields, follow=True).content.decode()
        for fields in ({"query": "language:cpp", "count": 2}, {"query": "language:cuda", "count": 1})
    ]
    assert "Requested 2 verifications." in answers[0]
    assert "Requested the verification. It waits for a" in answers[1]


def test_an_empty_query_never_takes_everything_without_a_confirmation(annotator, three):
    assert "the query is empty, which means every sample" in preview_page(annotator)
    for fields in ({"query": ""}, {"query": " ", "count": "3"}):
        assert ask(annotator, **fields).status_code == 409
    assert not Verification.objects.exists()
    ask(annotator, query="", count="3", confirmed="1")
    assert Verification.objects.count() == 3


def test_a_large_request_needs_a_confirmation(annotator, three, monkeypatch):
    monkeypatch.setattr(preview, "CONFIRM_ABOVE", 1)
    assert "Yes, all 2" in preview_page(annotator, query="language:cpp")
    response = ask(annotator, query="language:cpp", count="2", inspect="1")
    assert response.status_code == 409
    page = response.content.decode()
    assert "it was not confirmed. Nothing was requested." in page
    assert 'value="language:cpp"' in page
    assert not Verification.objects.exists()
    ask(annotator, query="language:cpp", count="2", confirmed="1")
    assert Verification.objects.count() == 2


def test_a_number_that_changed_since_is_shown_again_and_nothing_is_requested(annotator, three):
    make_sample(language="cpp")
    response = ask(annotator, query="language:cpp", count="2", profile="thorough", inspect="1")
    page = response.content.decode()
    assert response.status_code == 409
    assert "matches 3 samples now, not 2 as when they were counted" in page
    assert ">Verify 3 samples</button>" in page
    assert "<option selected>thorough</option>" in page
    assert 'name="inspect" value="1" checked' in page
    assert not Verification.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"query": "langage:cpp"}, "langage"),
        ({"query": "language:cpp", "profile": "sloppy"}, "There is no profile"),
        ({"query": "language:cpp", "device": "tpu"}, "There is no device"),
    ],
)
def test_a_bad_form_is_explained_and_keeps_what_was_typed(annotator, three, fields, sentence):
    for response in (ask(annotator, **fields), annotator.get(reverse("verify-new"), fields)):
        page = response.content.decode()
        assert response.status_code in (400, 409)
        assert sentence in page
        assert f'value="{fields["query"]}"' in page
    assert not Verification.objects.exists()


def test_a_query_without_samples_offers_no_button(annotator):
    page = preview_page(annotator, query="language:triton")
    assert "No sample matches" in page
    assert "Verify 0" not in page


def test_the_time_is_told_only_when_such_runs_were_measured(annotator, three, broker):
    announcements.announce("box", CPU_WORKER)
    page = preview_page(annotator, query="language:cpp")
    assert "The time cannot be estimated: fewer than 5 such runs" in page
    finished_in(60, runs=5)
    request_verification([make_sample(language="cpp")], actor=COMMAND)
    page = preview_page(annotator, query="language:cpp")
    assert "It takes about 4 minutes, with the 1 queued before, at the pace of recent runs." in page


def test_a_reader_neither_counts_nor_asks(reader):
    assert reader.get(reverse("verify-new")).status_code == 403
    assert ask(reader, query="", count="0", confirmed="1").status_code == 403


def test_a_hostile_query_is_shown_as_text(annotator):
    page = preview_page(annotator, query='"><script>alert(1)</script>')
    assert "<script>alert" not in page


def test_the_request_is_in_the_audit_log(annotator, three):
    ask(annotator, query="language:cpp", count="2")
    assert AuditEntry.objects.get(action="verification.request").detail["count"] == 2
