"""Tests of two pages of one reviewer: an older text never replaces a newer one, and neither is lost."""

import re
from uuid import UUID, uuid4

import pytest

from datasets_app import review
from datasets_app.models import Review, ReviewDraft
from datasets_app.review import drafts
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
NEWER, OLDER = "the newer text", "the older text"


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def sample():
    return make_sample()


def open_form(client, sample):
    """Return the hidden fields of a review page's form, as one tab has them."""
    text = client.get(f"/review/{sample.pk}/").content.decode()
    return dict(re.findall(r'<input type="hidden" name="(key|seen|draft)" value="([^"]*)"', text))


def autosave(client, sample, form, comment):
    return client.post(f"/review/{sample.pk}/draft/", {**form, "comment": comment})


@pytest.fixture
def two_tabs(annotator, sample):
    """Return two tabs opened on the same version: the later one has saved; the earlier one saves after it."""
    first, second = open_form(annotator, sample), open_form(annotator, sample)
    assert autosave(annotator, sample, second, NEWER).status_code == 200
    answer = autosave(annotator, sample, first, OLDER)
    return first, second, answer


def test_an_older_autosave_does_not_replace_the_newer_text(two_tabs):
    _, _, answer = two_tabs
    assert answer.status_code == 409
    assert ReviewDraft.objects.get().fields == {"comment": NEWER, "rubric": "1"}


def test_the_answer_and_the_page_show_both_texts(two_tabs, annotator, sample):
    _, _, answer = two_tabs
    page = annotator.get(f"/review/{sample.pk}/").content.decode()
    for text in (answer.json()["panel"], page):
        assert NEWER in text
        assert OLDER in text


def test_a_page_that_goes_on_typing_keeps_one_text_beside_the_draft(two_tabs, annotator, sample):
    first, _, _ = two_tabs
    assert autosave(annotator, sample, first, OLDER + " and more").status_code == 409
    texts = ReviewDraft.objects.get().other_texts()
    assert [text["fields"] for text in texts] == [{"comment": OLDER + " and more", "rubric": "1"}]


def test_the_page_that_wrote_the_draft_goes_on_without_a_conflict(two_tabs, annotator, sample):
    _, second, _ = two_tabs
    assert autosave(annotator, sample, second, NEWER + ", longer").status_code == 200
    assert ReviewDraft.objects.get().fields == {"comment": NEWER + ", longer", "rubric": "1"}


def test_choosing_the_other_text_exchanges_the_two(two_tabs, annotator, sample):
    first, second, _ = two_tabs
    annotator.post(f"/review/{sample.pk}/draft/text/", {"text": first["key"], "use": "1"})
    draft = ReviewDraft.objects.get()
    assert draft.fields == {"comment": OLDER, "rubric": "1"}
    assert {name: text["fields"] for name, text in draft.set_aside.items()} == {
        second["key"]: {"comment": NEWER, "rubric": "1"}
    }
    assert autosave(annotator, sample, second, NEWER + "!").status_code == 409


def test_a_text_goes_when_it_is_discarded(two_tabs, annotator, sample):
    first, _, _ = two_tabs
    annotator.post(f"/review/{sample.pk}/draft/text/", {"text": first["key"], "discard": "1"})
    assert ReviewDraft.objects.get().set_aside == {}


def test_a_text_that_is_gone_is_said(two_tabs, annotator, sample):
    answer = annotator.post(
        f"/review/{sample.pk}/draft/text/", {"text": str(uuid4()), "use": "1"}, follow=True
    )
    assert "no longer there" in answer.content.decode()


def test_nobody_reaches_the_texts_of_another(two_tabs, curator, sample):
    first, _, _ = two_tabs
    curator.post(f"/review/{sample.pk}/draft/text/", {"text": first["key"], "discard": "1"})
    assert ReviewDraft.objects.get().set_aside
    assert OLDER not in curator.get(f"/review/{sample.pk}/?also=1").content.decode()


def test_submitting_the_older_page_keeps_the_newer_text_of_the_other(two_tabs, annotator, sample):
    first, _, _ = two_tabs
    sent = {**first, "verdict": "accept", "comment": OLDER}
    assert annotator.post(f"/review/{sample.pk}/", sent).status_code == 302
    assert Review.objects.get().comment == OLDER
    draft = ReviewDraft.objects.get()
    assert draft.fields == {}
    assert [text["fields"] for text in draft.other_texts()] == [{"comment": NEWER, "rubric": "1"}]
    assert NEWER in annotator.get("/review/").content.decode()


def test_submitting_the_page_that_wrote_the_draft_leaves_no_draft(annotator, sample):
    form = open_form(annotator, sample)
    autosave(annotator, sample, form, "half")
    annotator.post(f"/review/{sample.pk}/", {**form, "verdict": "accept", "comment": "half and whole"})
    assert not ReviewDraft.objects.exists()


def test_skipping_an_older_page_keeps_both_texts(annotator, sample):
    first, second = open_form(annotator, sample), open_form(annotator, sample)
    autosave(annotator, sample, second, NEWER)
    answer = annotator.post(f"/review/{sample.pk}/skip/", {**first, "comment": OLDER}, follow=True)
    draft = ReviewDraft.objects.get()
    assert draft.fields == {"comment": NEWER, "rubric": "1"}
    assert [text["fields"] for text in draft.other_texts()] == [{"comment": OLDER, "rubric": "1"}]
    assert "both texts are kept" in answer.content.decode()


def test_a_page_left_open_over_a_submission_starts_a_draft_of_its_own(annotator, sample):
    old, other = open_form(annotator, sample), open_form(annotator, sample)
    autosave(annotator, sample, other, "first")
    annotator.post(f"/review/{sample.pk}/", {**other, "verdict": "accept", "comment": "first"})
    assert autosave(annotator, sample, old, "second thoughts").json()["saved"] is True


def test_versions_never_come_again(sample, ada):
    first = review.save_draft(sample, acting(ada), {"comment": "a"}).version
    ReviewDraft.objects.all().delete()
    assert review.save_draft(sample, acting(ada), {"comment": "b"}).version > first


def test_an_empty_older_page_sets_nothing_aside(sample, ada):
    review.save_draft(sample, acting(ada), {"comment": NEWER}, uuid4())
    with pytest.raises(review.DraftConflictError):
        review.save_draft(sample, acting(ada), {}, uuid4(), seen=0)
    assert ReviewDraft.objects.get().set_aside == {}


def test_where_no_more_texts_fit_the_newest_draft_stays_and_the_answer_says_so(sample, ada, annotator):
    review.save_draft(sample, acting(ada), {"comment": NEWER}, uuid4())
    for number in range(drafts.MOST_SET_ASIDE + 1):
        with pytest.raises(review.DraftConflictError) as conflict:
            review.save_draft(sample, acting(ada), {"comment": f"text {number}"}, uuid4(), seen=0)
        assert conflict.value.kept == (number < drafts.MOST_SET_ASIDE)
    assert ReviewDraft.objects.get().fields == {"comment": NEWER}


def test_a_hidden_version_of_any_kind_breaks_nothing(annotator, sample):
    for value in ("", "-1", "1e9", "9" * 400, "\x01"):
        form = {"key": str(UUID(int=1)), "draft": value, "comment": "x"}
        assert annotator.post(f"/review/{sample.pk}/draft/", form).status_code in (200, 409)
