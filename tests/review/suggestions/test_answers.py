"""Tests of taking and dropping suggestions, on the page and as verbs, and of what a saved review records."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

import datasets_app
from datasets_app import review
from datasets_app.models import AuditEntry, Note, ReviewDraft, Sample, Suggestion, SuggestionAnswer
from datasets_app.review import suggestions
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
TRACE = "First a plan.\n\nWait, the tail is lost.\n"


@pytest.fixture
def page(client, ada):
    client.force_login(ada.user)
    return client


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


def posted(sample, **fields):
    row = {"sample": str(sample.pk), "verdict": "reject", "words": "the <b>tail</b> is lost", **fields}
    program = acting(make_user("annotator"))
    (one,) = suggestions.post_suggestions(program, "critic", "2.1", [{k: v for k, v in row.items() if v}])
    assert one.state == "stored", one.error
    return one.suggestion


def span(sample):
    return posted(sample, verdict="", text="trace", start=15, end=38, label="redundant")


def look(page, sample):
    return page.get(reverse("review-sample", args=[sample.pk])).content.decode()


def answer(page, sample, script=False, **fields):
    headers = {"Accept": "application/json"} if script else {}
    return page.post(reverse("review-suggestion", args=[sample.pk]), fields, headers=headers)


def chosen(text):
    return re.findall(r'name="(\w+)" value="(\w+)"[^>]*?checked', text)


def reply_of(suggestion):
    return SuggestionAnswer.objects.get(suggestion=suggestion)


def test_the_page_shows_who_suggests_what_and_chooses_nothing(page, sample):
    posted(sample, confidence=0.8, scores={"correctness": 2})
    text = look(page, sample)
    assert "the &lt;b&gt;tail&lt;/b&gt; is lost" in text
    assert "critic" in text
    assert "confidence 0.80" in text
    assert chosen(text) == []


def test_taking_without_a_script_fills_the_form_and_keeps_what_was_typed(page, sample):
    one = posted(sample, scores={"correctness": 2})
    look(page, sample)
    response = answer(page, sample, take=one.pk, comment="my own words", kernel_quality="4", verdict="accept")
    assert response.status_code == 302
    text = page.get(response.url).content.decode()
    assert chosen(text) == [("correctness", "2"), ("kernel_quality", "4"), ("verdict", "reject")]
    assert "my own words" in text
    assert reply_of(one).reply == "taken"
    assert not sample.reviews.exists()


def test_dropping_fills_nothing_and_keeps_what_was_typed(page, sample):
    one = posted(sample)
    look(page, sample)
    text = page.get(answer(page, sample, drop=one.pk, comment="half a thought").url).content.decode()
    assert chosen(text) == []
    assert "half a thought" in text
    assert reply_of(one).reply == "dropped"


def test_a_newer_draft_of_another_page_is_not_replaced(page, ada, sample):
    one = posted(sample)
    look(page, sample)
    review.save_draft(sample, ada, {"comment": "newer"})
    text = page.get(answer(page, sample, take=one.pk, comment="older", draft="1").url).content.decode()
    assert "newer" in text
    assert "older" in text
    assert "both texts are kept" in text


def test_a_script_gets_the_fields_and_the_panel_and_saves_no_draft(page, sample):
    one = posted(sample, scores={"correctness": 2})
    look(page, sample)
    body = answer(page, sample, script=True, take=one.pk, comment="typed").json()
    assert body["fill"] == {"verdict": "reject", "correctness": "2"}
    assert "taken" in body["panel"].lower()
    assert not ReviewDraft.objects.exists()


def test_a_span_that_is_taken_becomes_one_note_that_says_who_suggested_it(page, sample):
    one = span(sample)
    look(page, sample)
    for _ in range(2):
        assert answer(page, sample, script=True, take=one.pk).status_code == 200
    note = Note.objects.get()
    assert (note.label, note.author.username, note.anchors.get().quote) == (
        "redundant",
        "ada",
        "Wait, the tail is lost.",
    )
    assert note.entries.get().text.endswith("(suggested by critic 2.1)")
    refused = answer(page, sample, script=True, drop=one.pk)
    assert refused.status_code == 409
    assert "withdraw its note" in refused.json()["said"]


@pytest.mark.parametrize("sent", [{}, {"take": "nonsense"}, {"drop": ""}])
def test_a_request_without_an_id_is_refused(page, sample, sent):
    assert answer(page, sample, **sent).status_code == 400


def test_what_was_never_shown_or_is_of_another_sample_cannot_be_taken(page, ada, sample):
    one, other = posted(sample), make_sample()
    for of in (sample, other):
        with pytest.raises(suggestions.SuggestionError, match="no such suggestion"):
            suggestions.take(of, one.pk, ada)
    text = page.get(answer(page, sample, take=one.pk, comment="typed").url).content.decode()
    assert "no such suggestion" in text
    assert "typed" in text


def test_a_withdrawn_suggestion_or_one_on_a_site_without_any_is_not_taken(page, settings, sample):
    one = posted(sample)
    look(page, sample)
    settings.SUGGESTIONS = False
    assert "switched off" in answer(page, sample, script=True, take=one.pk).json()["said"]
    settings.SUGGESTIONS = True
    suggestions.withdraw_suggestion(one, acting(one.posted_by))
    assert "withdrew" in answer(page, sample, script=True, take=one.pk).json()["said"]
    assert "critic" not in look(page, sample)


def test_a_saved_review_records_whether_it_agrees_and_a_taken_one_may_be_overruled(page, ada, sample):
    taken, other = posted(sample), posted(make_sample())
    look(page, sample)
    suggestions.take(Sample.objects.with_body().get(pk=sample.pk), taken.pk, ada)
    first = review.submit_review(sample, ada, "accept")
    stored = reply_of(taken)
    assert (stored.reply, stored.agreed, stored.review) == ("overruled", False, first)
    second = review.submit_review(sample, ada, "reject")
    stored = reply_of(taken)
    assert (stored.reply, stored.agreed, stored.review) == ("taken", True, second)
    assert not other.answers.exists()


def test_one_without_a_reply_is_recorded_too_and_other_peoples_reviews_are_not(page, ada, sample):
    one = posted(sample)
    look(page, sample)
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    assert reply_of(one).agreed is None
    review.submit_review(sample, ada, "reject")
    assert (reply_of(one).reply, reply_of(one).agreed) == ("", True)


def test_replies_are_audited_without_the_verdict(page, ada, sample):
    one = posted(sample)
    look(page, sample)
    answer(page, sample, drop=one.pk)
    answer(page, sample, take=one.pk)
    entries = AuditEntry.objects.filter(actor=ada.user, action__startswith="suggestion.").order_by("id")
    assert [entry.action for entry in entries] == ["suggestion.drop", "suggestion.take"]
    assert "reject" not in str([entry.detail for entry in entries])


def test_a_sample_that_somebody_else_has_open_offers_nothing(page, sample):
    one = posted(sample)
    review.claim(sample, acting(make_user("annotator", "ben")))
    assert "critic" not in look(page, sample)
    also = page.get(reverse("review-sample", args=[sample.pk]) + "?also=1").content.decode()
    assert "also=1" in also
    assert Suggestion.objects.get().answers.get() == reply_of(one)


def test_neither_curation_nor_export_nor_the_queue_nor_the_verdict_knows_suggestions():
    root = Path(datasets_app.__file__).parent
    files = [path for stage in ("curate", "export") for path in (root / stage).rglob("*.py")]
    files += [root / "review" / "candidates.py", root / "models" / "verdict_policy.py"]
    assert len(files) > 30
    assert not [path for path in files if "suggestion" in path.read_text().lower()]
