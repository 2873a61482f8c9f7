"""Tests of the review pages without JavaScript."""

import html
import re
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app import review
from datasets_app.models import Review, ReviewClaim, ReviewDraft
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def me(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def opened(client, sample, query=""):
    """Return the page's text and the hidden fields of its form."""
    page = client.get(f"/review/{sample.pk}/{query}")
    text = page.content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(key|seen|rubric)" value="([^"]*)"', text))
    return text, {name: html.unescape(value) for name, value in hidden.items()}


def test_next_opens_a_sample_and_holds_it(annotator):
    sample = make_sample()
    answer = annotator.post("/review/next/")
    assert answer.url == f"/review/{sample.pk}/"
    assert ReviewClaim.objects.get().reviewer == me(annotator)


def test_start_is_before_the_queues_of_a_site_that_has_none(annotator):
    make_sample()
    page = annotator.get("/review/").content.decode()
    assert 0 < page.index('id="next"') < page.index('id="queues-title"')


def test_the_queues_filter_goes_along(annotator):
    make_sample()
    passed = make_sample(outcome="passed", verified_at=timezone.now())
    answer = annotator.post("/review/next/?outcome=passed&blind=1")
    assert answer.url == f"/review/{passed.pk}/?outcome=passed&blind=1"


def test_a_typed_filter_becomes_the_queues_address(annotator):
    answer = annotator.get("/review/", {"query": "outcome:passed", "blind": "1"})
    assert answer.url == "/review/?outcome=passed&blind=1"


def test_a_filter_that_cannot_be_read_is_explained_and_kept(annotator):
    answer = annotator.get("/review/", {"query": "outcom:passed"})
    assert answer.status_code == 400
    assert "outcom:passed" in answer.content.decode()
    assert "did you mean outcome" in answer.content.decode()


def test_the_page_shows_the_three_texts_escaped_and_every_criterion(annotator):
    sample = make_sample(reasoning="<b>bold</b> claim")
    text, _ = opened(annotator, sample)
    assert "&lt;b&gt;" in text
    assert "<b>bold" not in text
    for name in ("correctness", "kernel_quality", "trace_quality", "faithfulness"):
        assert text.count(f'name="{name}"') == 6


def test_a_sample_without_a_trace_asks_nothing_about_one(annotator):
    text, _ = opened(annotator, make_sample(reasoning=""))
    assert 'name="trace_quality"' not in text
    assert 'name="correctness"' in text


def test_saving_stores_the_review_and_opens_the_next(annotator):
    sample, following = make_sample(), make_sample()
    _, hidden = opened(annotator, sample)
    answer = annotator.post(
        f"/review/{sample.pk}/", {**hidden, "verdict": "fix", "correctness": "4", "comment": "tail"}
    )
    assert answer.url == f"/review/{following.pk}/"
    stored = Review.objects.get()
    assert (stored.verdict, stored.scores["correctness"], stored.comment, stored.key) == (
        "fix",
        4,
        "tail",
        UUID(hidden["key"]),
    )


def test_after_the_last_one_the_queue_says_so(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    answer = annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept"}, follow=True)
    assert answer.redirect_chain == [("/review/", 302)]
    assert "No sample in this queue" in answer.content.decode()


def test_sending_the_form_twice_stores_one_review(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    for _ in range(2):
        assert annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept"}).status_code == 302
    assert Review.objects.count() == 1


def test_a_form_without_a_verdict_keeps_what_was_typed(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    answer = annotator.post(f"/review/{sample.pk}/", {**hidden, "comment": "nearly done"})
    assert answer.status_code == 400
    assert "nearly done" in answer.content.decode()
    assert "Choose a verdict" in answer.content.decode()


def test_somebody_elses_newer_review_is_shown_before_anything_is_stored(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject", comment="fails for n = 0")
    answer = annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept", "comment": "mine"})
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "fails for n = 0" in text
    assert "mine" in text
    assert Review.objects.count() == 1


def test_saving_again_after_reading_what_is_new_goes_through(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    shown = annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept"}).content.decode()
    seen = html.unescape(re.search(r'name="seen" value="([^"]*)"', shown)[1])
    assert (
        annotator.post(f"/review/{sample.pk}/", {**hidden, "seen": seen, "verdict": "accept"}).status_code
        == 302
    )
    assert Review.objects.count() == 2


def test_a_newer_verification_is_shown_before_anything_is_stored(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    verified(sample, "cheated")
    answer = annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept"})
    assert answer.status_code == 409
    assert "Verified again" in answer.content.decode()


def test_a_form_sent_again_with_other_content_is_neither_stored_nor_lost(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    annotator.post(f"/review/{sample.pk}/", {**hidden, "verdict": "accept"})
    answer = annotator.post(
        f"/review/{sample.pk}/", {**hidden, "verdict": "reject", "comment": "on second thought"}
    )
    assert answer.status_code == 409
    assert "on second thought" in answer.content.decode()
    again = dict(
        re.findall(r'<input type="hidden" name="(key|seen|rubric)" value="([^"]*)"', answer.content.decode())
    )
    assert again["key"] != hidden["key"]


def test_a_sample_that_somebody_has_open_says_who_and_offers_the_next(annotator):
    sample = make_sample()
    review.claim(sample, acting(make_user("annotator", "ben")))
    text, hidden = opened(annotator, sample)
    assert "ben is reviewing this sample" in text
    assert not hidden
    assert ReviewClaim.objects.get().reviewer.username == "ben"


def test_one_may_review_a_held_sample_as_well(annotator):
    sample = make_sample()
    review.claim(sample, acting(make_user("annotator", "ben")))
    _, hidden = opened(annotator, sample, "?also=1")
    assert set(hidden) == {"key", "seen", "rubric"}


def test_skipping_keeps_what_was_typed_and_moves_on(annotator):
    sample, following = make_sample(), make_sample()
    opened(annotator, sample)
    answer = annotator.post(f"/review/{sample.pk}/skip/", {"comment": "come back", "verdict": "fix"})
    assert answer.url == f"/review/{following.pk}/"
    assert ReviewDraft.objects.get(sample=sample).fields == {
        "comment": "come back",
        "verdict": "fix",
        "rubric": "1",
    }
    text, _ = opened(annotator, sample)
    assert "come back" in text


def test_undo_opens_the_last_review_with_its_fields_filled(annotator):
    sample, _ = make_sample(), make_sample()
    _, hidden = opened(annotator, sample)
    sent = {**hidden, "verdict": "accept", "correctness": "5", "comment": "fine"}
    following = annotator.post(f"/review/{sample.pk}/", sent, follow=True).content.decode()
    undo = re.search(r'id="undo"[^>]* formaction="([^"]*)"', following)[1]
    text = annotator.post(undo, follow=True).content.decode()
    assert "fine" in text
    assert re.search(r'name="correctness" value="5" checked', text)
    assert re.search(r'value="accept" data-key="a" checked', text)
    assert "undone by its reviewer" in text


def test_autosave_keeps_the_draft_and_holds_the_sample(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    answer = annotator.post(f"/review/{sample.pk}/draft/", {**hidden, "comment": "half", "correctness": "2"})
    draft = ReviewDraft.objects.get()
    assert answer.json() == {"saved": True, "version": draft.version, "holder": "", "changed": False}
    assert ReviewDraft.objects.get().fields == {"comment": "half", "correctness": "2", "rubric": "1"}


def test_a_sign_of_life_tells_what_came_in(annotator):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    ben = make_user("annotator", "ben")
    review.submit_review(sample, acting(ben), "reject")
    ReviewClaim.objects.update(reviewer=ben)
    answer = annotator.post(f"/review/{sample.pk}/claim/", hidden)
    assert answer.json() == {"holder": "ben", "changed": True}


def test_a_blind_queue_hides_other_reviews_until_ones_own(annotator):
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "reject", comment="hidden words")
    text, hidden = opened(annotator, sample, "?blind=1")
    assert "hidden words" not in text
    annotator.post(f"/review/{sample.pk}/?blind=1", {**hidden, "verdict": "accept"})
    assert "hidden words" in opened(annotator, sample, "?blind=1")[0]


def test_a_form_that_says_it_was_not_blind_shows_no_review_of_a_blind_site(annotator, settings):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "reject", comment="hidden words")
    fields = {**opened(annotator, sample)[1], "verdict": "accept", "seen": "open~0~2026-01-01~0~"}
    refused = annotator.post(f"/review/{sample.pk}/", fields)
    assert refused.status_code == 409
    assert "hidden words" not in refused.content.decode()


def test_a_draft_field_of_any_length_or_kind_breaks_nothing(annotator):
    sample = make_sample()
    fields = {"comment": "x" * 100_000, "correctness": "ninety", "verdict": "<script>", "key": "no uuid"}
    assert annotator.post(f"/review/{sample.pk}/draft/", fields).status_code == 200
    assert opened(annotator, sample)[1]


@pytest.mark.parametrize("field", ["key", "seen"])
def test_a_form_that_lost_its_hidden_fields_keeps_what_was_typed(annotator, field):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    answer = annotator.post(
        f"/review/{sample.pk}/", {**hidden, field: "", "verdict": "fix", "comment": "kept words"}
    )
    assert answer.status_code == 400
    text = answer.content.decode()
    assert "kept words" in text
    again = {**dict(re.findall(r'<input type="hidden" name="(key|seen|rubric)" value="([^"]*)"', text))}
    assert annotator.post(f"/review/{sample.pk}/", {**again, "verdict": "fix"}).status_code == 302


def test_an_unknown_sample_is_not_found(annotator):
    assert annotator.get(f"/review/{uuid4()}/").status_code == 404


def test_the_queue_page_costs_the_same_however_many_samples_there_are(annotator, django_assert_num_queries):
    ben = make_user("annotator", "ben")
    for _ in range(12):
        sample = make_sample()
        review.submit_review(sample, acting(me(annotator)), "accept")
        review.save_draft(sample, acting(me(annotator)), {"comment": "more"})
        review.claim(sample, acting(ben))
    with django_assert_num_queries(17) as queries:
        annotator.get("/review/")
    assert not any("datasets_app_samplebody" in query["sql"] for query in queries.captured_queries)


def test_the_review_page_costs_the_same_however_many_reviews_there_are(annotator):
    sample = make_sample()
    annotator.get(f"/review/{sample.pk}/")
    costs = []
    for _ in range(2):
        for _ in range(4):
            review.submit_review(sample, acting(make_user("annotator")), "accept")
        with CaptureQueriesContext(connection) as queries:
            annotator.get(f"/review/{sample.pk}/")
        costs.append(len(queries))
    assert costs[0] == costs[1]
