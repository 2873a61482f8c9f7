"""Tests of the pages of queues, of blind lists, and of forms that are open while something changes."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from datasets_app import review
from datasets_app.models import Assignment, Review, ReviewQueue, ReviewSkip
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db

FORM = {"name": "first look", "overlap": "2", "seed": "0", "order": "oldest", "blind": "on"}


def me(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def opened(cur, **fields):
    queue = make_queue("first look", cur, **fields)
    queues.open_queue(queue, cur)
    queue.refresh_from_db()
    return queue


def text(answer):
    return " ".join(answer.content.decode().split())


def review_form(client, sample, queue=None, **fields):
    """Open the review page and return its URL with a form to send."""
    address = f"/review/{sample.pk}/" + (f"?queue={queue.pk}" if queue else "")
    form = client.get(address).context["form"]
    return address, {"verdict": "accept", "key": str(uuid4()), "seen": form["seen"].value(), **fields}


def test_a_curator_makes_opens_and_closes_a_queue_in_pages(curator):
    make_sample()
    answer = curator.post("/review/queues/new/", FORM)
    queue = ReviewQueue.objects.get()
    assert answer.url == queue.get_absolute_url()
    assert "Open with 1 sample" in text(curator.get(answer.url))
    assert "Added 1 samples" in text(curator.post(f"{answer.url}open/", follow=True))
    make_sample()
    assert "1 new sample matches the query" in text(curator.get(answer.url))
    curator.post(f"{answer.url}top-up/")
    assert queue.items.count() == 2
    assert "All its reviews are kept" in text(curator.post(f"{answer.url}close/", follow=True))


def test_a_refused_form_keeps_what_was_typed(curator):
    answer = curator.post("/review/queues/new/", {**FORM, "overlap": "12", "words": "read the trace first"})
    assert answer.status_code == 400
    assert "from 1 to 9, not 12" in text(answer)
    assert "read the trace first" in text(answer)
    assert not ReviewQueue.objects.exists()


def test_submitting_and_skipping_stay_in_the_queue(annotator, cur):
    first, second, third = (make_sample() for _ in range(3))
    queue = opened(cur)
    answer = annotator.post(f"/review/next/?queue={queue.pk}")
    assert answer.url == f"/review/{first.pk}/?queue={queue.pk}"
    address, form = review_form(annotator, first, queue)
    assert annotator.post(address, form).url == f"/review/{second.pk}/?queue={queue.pk}"
    sent = {"skip_reason": "unsure", "skip_words": "needs a person with a GPU"}
    answer = annotator.post(f"/review/{second.pk}/skip/?queue={queue.pk}", sent)
    assert answer.url == f"/review/{third.pk}/?queue={queue.pk}"
    assert ReviewSkip.objects.get().words == "needs a person with a GPU"


def test_a_save_and_its_next_sample_cost_as_many_queries_however_many_have_voted(
    annotator, cur, django_assert_num_queries
):
    first, second, *_ = [make_sample() for _ in range(6)]
    queue = opened(cur, overlap=6)
    for one in range(4):
        review.submit_review(second, acting(make_user("annotator", f"voter {one}")), "accept")
    for sample in (first, second):
        address, form = review_form(annotator, sample, queue)
        with django_assert_num_queries(24):
            assert annotator.post(address, form).status_code == 302


def test_curators_see_who_skipped_what_and_why(curator, cur):
    sample = make_sample()
    queue = opened(cur)
    review.skip(sample, acting(make_user("annotator", "ada")), "unsure", "needs <b>a person</b>")
    page = text(curator.get(queue.get_absolute_url()))
    assert "ada" in page
    assert "needs &lt;b&gt;a person&lt;/b&gt;" in page


def test_the_list_of_queues_shows_progress_and_ones_own_first(annotator, cur):
    sample = make_sample()
    opened(cur, overlap=2)
    Assignment.objects.create(sample=sample, reviewer=me(annotator))
    assert "Assigned to you: 1" in text(annotator.get("/review/"))
    assert "<strong>1</strong> assigned to you" in text(annotator.get("/"))
    page = annotator.get("/review/")
    ((queue, progress),) = page.context["queue_rows"]
    assert (queue.name, progress.wanted, progress.waiting) == ("first look", 2, 2)


def test_a_complete_sample_says_so_and_offers_the_next(annotator, cur):
    sample = make_sample()
    opened(cur)
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    page = text(annotator.get(f"/review/{sample.pk}/"))
    assert "wants 1 review(s) of this sample" in page
    assert "review-form" not in page


def test_a_slot_that_somebody_else_took_meanwhile_ends_in_a_sentence_and_keeps_the_text(annotator, cur):
    sample = make_sample()
    opened(cur)
    address, form = review_form(annotator, sample, comment="three paragraphs")
    me(annotator).claims.all().delete()
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    answer = annotator.post(address, form)
    assert answer.status_code == 409
    assert "three paragraphs" in text(answer)
    assert "Not saved" in text(answer)
    assert Review.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda queue, cur: queues.change_queue(queue, cur, {"policy": "unanimous"}), "was changed"),
        (queues.close_queue, "was closed"),
    ],
)
def test_a_queue_that_changes_under_an_open_form_ends_in_a_sentence(annotator, cur, change, sentence):
    sample = make_sample()
    queue = opened(cur)
    address, form = review_form(annotator, sample, queue, comment="three paragraphs")
    change(queue, cur)
    answer = annotator.post(address, form)
    assert answer.status_code == 409
    assert sentence in text(answer)
    assert "three paragraphs" in text(answer)
    again = {**form, "seen": answer.context["form"]["seen"].value()}
    assert annotator.post(address, again).status_code == 302
    assert Review.objects.count() == 1


def test_a_closed_queue_offers_nothing_and_says_so(annotator, cur):
    make_sample()
    queue = opened(cur)
    queues.close_queue(queue, cur)
    assert "is closed. Choose another" in text(annotator.post(f"/review/next/?queue={queue.pk}", follow=True))


def test_a_review_withdrawn_under_an_open_form_is_said(annotator):
    sample, ben = make_sample(), make_user("annotator", "ben")
    given = review.submit_review(sample, acting(ben), "reject")
    address, form = review_form(annotator, sample, comment="as ben says")
    review.withdraw_review(given, acting(ben), "misread the mask")
    answer = annotator.post(address, form)
    assert answer.status_code == 409
    assert "misread the mask" in text(answer)
    assert "as ben says" in text(answer)


@pytest.mark.parametrize("how", ["site", "queue"])
def test_blind_review_hides_verdicts_until_the_own_review(annotator, curator, cur, settings, how):
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "reject", comment="secret words")
    if how == "site":
        settings.REVIEW_BLIND = True
    else:
        opened(cur, overlap=2)
    pages = ["/browse/", sample.get_absolute_url(), sample.task.get_absolute_url(), f"/review/{sample.pk}/"]
    told = 'data-shape="✕">rejected<'
    for address in pages:
        page = annotator.get(address).content.decode()
        assert told not in page, address
        assert "secret words" not in page, address
    assert told in curator.get("/browse/").content.decode()
    assert annotator.get("/api/v1/samples/").json()["results"][0]["verdict"] is None
    assert annotator.get(f"/api/v1/samples/{sample.pk}/").json()["verdict"] is None
    assert annotator.get("/api/v1/reviews/").json()["results"] == []
    review.submit_review(sample, acting(me(annotator)), "reject")
    assert told in annotator.get("/browse/").content.decode()
    assert annotator.get("/api/v1/samples/").json()["results"][0]["verdict"] == "reject"
