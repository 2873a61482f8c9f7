"""Tests of the sample ahead, of undo and of saves in the background where queues, rubrics and honeypots have a say."""

import re

import pytest
from django.utils import timezone

from datasets_app import review
from datasets_app.models import Honeypot, QueueItem, Review, ReviewClaim, ReviewDraft, Sample
from datasets_app.review import queues
from datasets_app.review.ahead import AHEAD_LASTS
from datasets_app.review.queue import claim_by_id
from datasets_app.review.rubric import current_rubric
from tests.factories import acting, make_queue, make_sample, make_user
from tests.review.test_rhythm import as_script, form, me
from tests.review.test_rubric import without_trace_quality

pytestmark = pytest.mark.django_db


def opened(**fields):
    curator = acting(make_user("curator"))
    queue = make_queue("first look", curator, **fields)
    queues.open_queue(queue, curator)
    queue.refresh_from_db()
    return queue


def taken(sample):
    """Return how many of the sample's reviews are stored or being written."""
    votes = set(Review.objects.votes().filter(sample=sample).values_list("reviewer", flat=True))
    live = ReviewClaim.objects.filter(sample=sample, expires_at__gt=timezone.now())
    return len(votes | set(live.values_list("reviewer", flat=True)))


# --- The sample ahead ------------------------------------------------------------------------------------


def test_two_reviewers_fill_the_slots_of_an_overlap_of_two_with_what_they_fetch_ahead(ada, ben):
    first, second, third = (make_sample() for _ in range(3))
    queue = opened(overlap=2)
    cyd = acting(make_user("annotator", "cyd"))
    for person in (ada, ben):
        assert queues.next_in_queue(queue, person) == first
        assert queues.ahead_in_queue(queue, first, person) == second
    assert queues.next_in_queue(queue, cyd) == third  # both slots of the others are held
    with pytest.raises(review.NoSlotError):
        review.claim(second, cyd)
    review.release_ahead(second.pk, ben)
    assert queues.ahead_in_queue(queue, third, cyd) == second
    assert [taken(sample) for sample in (first, second, third)] == [2, 2, 1]


def test_the_sample_ahead_follows_the_queues_order_and_leaves_out_other_queues(ada):
    low, high, middle = (make_sample(claimed_speedup=speedup) for speedup in (1.5, 9.0, 3.0))
    queue = opened(order="claim")
    make_sample()
    assert queues.next_in_queue(queue, ada) == high
    assert queues.ahead_in_queue(queue, high, ada) == middle
    assert queues.ahead_in_queue(queue, high, ada) == low
    assert queues.ahead_in_queue(queue, high, ada) is None


def test_a_honeypot_comes_ahead_as_any_other_sample_and_its_page_does_not_tell(annotator):
    here, trap = make_sample(), make_sample()
    queue = opened()
    Honeypot.objects.create(sample=trap, answer="cheat", family="clock", explanation="It replaces the clock.")
    annotator.get(f"/review/{here.pk}/?queue={queue.pk}")
    answer = annotator.post(f"/review/{here.pk}/ahead/?queue={queue.pk}")
    assert answer.headers["Content-Location"] == f"/review/{trap.pk}/?queue={queue.pk}"
    assert "It replaces the clock" not in answer.content.decode()


def test_the_page_ahead_is_blind_if_its_queue_is(annotator):
    here, following = make_sample(), make_sample()
    queue = opened(overlap=2, blind=True)
    review.submit_review(following, acting(make_user("annotator", "ben")), "reject", comment="races")
    annotator.get(f"/review/{here.pk}/?queue={queue.pk}")
    text = annotator.post(f"/review/{here.pk}/ahead/?queue={queue.pk}").content.decode()
    assert "Hidden: this queue is blind" in text
    assert "races" not in text
    seen = re.search(r'name="seen" value="([^"]+)"', text)[1]
    assert review.Seen.parse(seen).blind


@pytest.mark.parametrize("change", ["close", "name another reviewer"])
def test_a_queue_that_ends_for_a_reviewer_has_nothing_ahead(annotator, change):
    here, _ = make_sample(), make_sample()
    queue = opened()
    annotator.get(f"/review/{here.pk}/?queue={queue.pk}")
    if change == "close":
        queues.close_queue(queue, acting(make_user("curator")))
    else:
        queue.reviewers.add(make_user("annotator", "ben"))
    assert annotator.post(f"/review/{here.pk}/ahead/?queue={queue.pk}").status_code == 204


def test_fetching_ahead_never_shortens_a_claim_that_another_page_holds(ada):
    sample = make_sample()
    review.claim(sample, ada)
    long = ReviewClaim.objects.get().expires_at
    claim_by_id(sample.pk, ada.person(), AHEAD_LASTS)
    assert ReviewClaim.objects.get().expires_at == long


# --- Undo ------------------------------------------------------------------------------------------------


def test_undo_opens_the_review_under_its_rubric_and_says_what_a_newer_one_leaves_out(annotator, cleo):
    sample = make_sample()
    given = review.submit_review(
        sample,
        acting(me(annotator)),
        "fix",
        {"correctness": 4, "trace_quality": 2},
        "mask the tail",
        reasons=["poor_code"],
    )
    without_trace_quality(cleo)
    text = annotator.post(f"/reviews/{given.pk}/undo/", follow=True).content.decode()
    assert ReviewDraft.objects.get().fields["rubric"] == "1"
    assert "This was typed under version 1 of the rubric; the form follows version 2 now." in text
    assert "The new version does not ask: Trace quality 2." in text
    assert "mask the tail" in text
    assert re.search(r'name="reason-poor_code"[^>]* checked', text)


def test_undo_takes_the_freed_slot_back_and_the_queues_policy_decides_again(ada, ben):
    sample = make_sample()
    queue = opened(overlap=2, policy="unanimous")
    cyd = acting(make_user("annotator", "cyd"))
    review.submit_review(sample, ada, "accept")
    given = review.submit_review(sample, ben, "reject")
    sample.refresh_from_db()
    assert (sample.verdict, sample.votes) == ("contested", 2)
    review.undo_review(given, ben)
    sample.refresh_from_db()
    assert (sample.verdict, sample.votes, taken(sample)) == ("accept", 1, 2)
    assert queues.next_in_queue(queue, cyd) is None
    assert queues.next_in_queue(queue, ben) == sample


def test_undo_in_a_queue_that_names_others_by_now_keeps_the_text_and_takes_no_slot(ada):
    sample = make_sample()
    queue = opened()
    given = review.submit_review(sample, ada, "accept", comment="clean")
    queue.reviewers.add(make_user("annotator", "ben"))
    review.undo_review(given, ada)
    assert not ReviewClaim.objects.exists()
    assert ReviewDraft.objects.get().fields["comment"] == "clean"


def test_the_page_after_undo_of_a_honeypot_says_nothing_of_it(annotator):
    trap = make_sample()
    Honeypot.objects.create(sample=trap, answer="cheat", family="clock", explanation="It replaces the clock.")
    fields = {**form(annotator, trap), "verdict": "accept"}
    told = annotator.post(f"/review/{trap.pk}/", fields, follow=True).content.decode()
    assert "It replaces the clock. That was a miss." in told
    answer = annotator.post(f"/reviews/{Review.objects.get().pk}/undo/", follow=True)
    assert answer.redirect_chain[-1][0] == f"/review/{trap.pk}/"
    assert not re.search("replaces the clock|was a miss|honeypot|was a test", answer.content.decode())


# --- Saving in the background ----------------------------------------------------------------------------


def test_a_script_is_told_what_a_honeypot_was_once_and_no_later_page_says_it_again(annotator):
    trap, _ = make_sample(), make_sample()
    Honeypot.objects.create(sample=trap, answer="cheat", family="clock", explanation="It replaces the clock.")
    fields = {**form(annotator, trap), "verdict": "accept", "stay": "1"}
    answer = as_script(annotator, f"/review/{trap.pk}/", **fields).json()
    assert "It replaces the clock. That was a miss." in answer["told"]
    assert "replaces the clock" not in annotator.get("/review/").content.decode()


def test_a_script_that_loads_the_next_page_finds_there_what_a_honeypot_was(annotator):
    trap, _ = make_sample(), make_sample()
    Honeypot.objects.create(sample=trap, answer="cheat", family="clock", explanation="It replaces the clock.")
    answer = as_script(annotator, f"/review/{trap.pk}/", **form(annotator, trap), verdict="accept").json()
    assert answer["told"] == ""
    assert "replaces the clock" in annotator.get(answer["next"]).content.decode()


def test_the_place_in_a_stored_queue_is_told_after_a_save(annotator):
    sample, _ = make_sample(), make_sample()
    queue = opened()
    make_sample()
    address = f"/review/{sample.pk}/?queue={queue.pk}"
    answer = as_script(annotator, address, **form(annotator, sample), verdict="fix", stay="1").json()
    assert answer["position"] == "2 of 2"


def refused(client, sample, **fields):
    """Save as a script does, and return the sentence of the refusal."""
    answer = as_script(client, f"/review/{sample.pk}/", verdict="fix", comment="an hour", **fields)
    text = answer.content.decode()
    assert answer.status_code in (400, 409)
    assert "an hour</textarea>" in text
    assert not Review.objects.filter(reviewer=me(client)).exists()
    return re.search(r'data-not-saved="([^"]+)"', text)[1]


def test_a_save_under_an_older_rubric_is_refused_with_a_sentence(annotator, cleo):
    sample = make_sample()
    fields = {**form(annotator, sample), "rubric": str(current_rubric().number)}
    without_trace_quality(cleo)
    assert "Version 2 of the rubric was published" in refused(annotator, sample, **fields)


def test_a_save_into_a_closed_or_changed_queue_is_refused_with_a_sentence(annotator):
    sample = make_sample()
    queue, curator = opened(), acting(make_user("curator"))
    fields = form(annotator, sample)
    queue = queues.change_queue(queue, curator, {"overlap": 3})
    assert "wants 3 review(s) a sample" in refused(annotator, sample, **fields)
    fields = form(annotator, sample)
    queues.close_queue(queue, curator)
    assert "The queue of this sample was closed" in refused(annotator, sample, **fields)


def test_a_save_that_lost_its_slot_is_refused_with_a_sentence(annotator, ben):
    sample = make_sample()
    queue = opened(blind=True)
    fields = form(annotator, sample)
    ReviewClaim.objects.update(expires_at=timezone.now())
    assert queues.next_in_queue(queue, ben) == sample
    assert "wants 1 review(s) of this sample" in refused(annotator, sample, **fields)


def test_what_the_form_lacks_is_a_sentence_too(annotator):
    sample = make_sample()
    answer = as_script(annotator, f"/review/{sample.pk}/", **form(annotator, sample), comment="an hour")
    assert 'data-not-saved="Choose a verdict: A, F or R."' in answer.content.decode()


def test_active_seconds_decide_nothing(ada, ben):
    sample = make_sample()
    opened(overlap=2, policy="unanimous")
    review.submit_review(sample, ada, "accept", active_s=3)
    review.submit_review(sample, ben, "accept", active_s=900)
    stored = Sample.objects.get()
    assert (stored.verdict, stored.agreement) == ("accept", 1.0)
    assert QueueItem.objects.get().sample == stored
