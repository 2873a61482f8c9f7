"""Tests of adjudication: what may be adjudicated by whom, and that a decision wins and is kept beside the votes."""

import html
import re
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import review
from datasets_app.ingest.withdraw import withdraw_sample
from datasets_app.models import AuditEntry, Review
from datasets_app.review.adjudicate import adjudicate, disputed
from datasets_app.review.agreement import agreement
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [make_user("annotator", name) for name in ("ada", "ben")]


@pytest.fixture
def grace():
    return make_user("curator", "grace")


def judged(people, *verdicts):
    """Return a sample with a vote of each of these people."""
    sample = make_sample()
    for person, verdict in zip(people, verdicts, strict=False):
        review.submit_review(sample, acting(person), verdict, comment=f"{verdict}, says {person}")
    return sample


def opened(client, sample):
    """Return the page's text, and the hidden fields of its form."""
    text = client.get(f"/review/adjudicate/{sample.pk}/").content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(key|seen)" value="([^"]*)"', text))
    return text, {name: html.unescape(value) for name, value in hidden.items()}


def sent(client, sample, fields):
    return client.post(f"/review/adjudicate/{sample.pk}/", fields)


def test_only_samples_whose_newest_votes_disagree_are_disputed(people, grace):
    judged(people, "accept", "accept")
    judged(people, "reject")
    changed = judged(people, "accept", "reject")
    review.submit_review(changed, acting(people[1]), "accept")
    apart, decided = judged(people, "accept", "reject"), judged(people, "fix", "reject")
    adjudicate(decided, acting(grace), "reject", "ben is right")
    assert list(disputed()) == [apart]


@pytest.mark.parametrize("policy", ["newest", "majority", "unanimous"])
def test_the_decision_wins_and_the_votes_stay(settings, people, grace, policy):
    settings.VERDICT_POLICY = policy
    sample = judged(people, "accept", "reject")
    stored = adjudicate(sample, acting(grace), "fix", "mask the tail")
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    sample.refresh_from_db()
    assert (sample.verdict, stored.kind, Review.objects.votes().count()) == ("fix", "adjudication", 3)
    assert AuditEntry.objects.get(action="review.adjudicate").detail["verdict"] == "fix"


def test_a_decision_is_no_vote_in_the_agreement(people, grace):
    sample = judged(people, "accept", "reject")
    adjudicate(sample, acting(grace), "fix", "mask the tail")
    assert {row.name for row in agreement().reviewers} == {"ada", "ben"}


def test_an_annotator_cannot_adjudicate(people):
    with pytest.raises(PermissionDenied):
        adjudicate(judged(people, "accept", "reject"), acting(people[0]), "accept", "mine")


def test_a_voter_adjudicates_only_if_nobody_else_can(people, grace):
    sample = judged([grace, people[0]], "accept", "reject")
    other = make_user("administrator", "root")
    with pytest.raises(review.ReviewError, match="You reviewed this sample yourself"):
        adjudicate(sample, acting(grace), "accept", "mine")
    other.is_active = False
    other.save()
    assert adjudicate(sample, acting(grace), "accept", "nobody else is here").verdict == "accept"


def test_where_the_reviewers_agree_there_is_nothing_to_adjudicate(people, grace):
    with pytest.raises(review.ReviewError, match="nothing to adjudicate"):
        adjudicate(judged(people, "accept", "accept"), acting(grace), "reject", "no")


def test_a_withdrawn_sample_is_not_decided(people, grace):
    sample = judged(people, "accept", "reject")
    withdraw_sample(sample, acting(grace), "wrong file")
    sample.refresh_from_db()
    with pytest.raises(review.ReviewError, match="withdrew this sample: “wrong file”"):
        adjudicate(sample, acting(grace), "reject", "no")


def test_a_decision_needs_a_reason_and_a_repeated_one_is_stored_once(people, grace):
    sample, key = judged(people, "accept", "reject"), uuid4()
    with pytest.raises(review.ReviewError, match="Say why"):
        adjudicate(sample, acting(grace), "accept", "  ", key)
    first = adjudicate(sample, acting(grace), "accept", "right", key)
    assert adjudicate(sample, acting(grace), "accept", "right", key) == first
    with pytest.raises(review.KeyReusedError):
        adjudicate(sample, acting(grace), "reject", "right", key)


def test_the_page_shows_the_votes_side_by_side_and_leads_to_the_next(people, curator):
    first, second = judged(people, "accept", "reject"), judged(people, "fix", "reject")
    assert str(first.pk) in curator.get("/review/adjudicate/").content.decode()
    text, hidden = opened(curator, first)
    assert "accept, says ada" in text
    assert "reject, says ben" in text
    assert first.get_absolute_url() in text
    answer = sent(curator, first, {**hidden, "verdict": "accept", "comment": "ada is right"})
    assert answer.url == f"/review/adjudicate/{second.pk}/"
    assert "ada is right" in opened(curator, first)[0]
    answer = sent(curator, second, {**opened(curator, second)[1], "verdict": "fix", "comment": "so"})
    assert answer.url == "/review/adjudicate/"
    assert "No reviewers disagree" in curator.get("/review/adjudicate/").content.decode()


def test_bad_input_gets_sentences_and_keeps_the_text(people, curator):
    sample = judged(people, "accept", "reject")
    answer = sent(curator, sample, {**opened(curator, sample)[1], "comment": "half a reason"})
    assert (answer.status_code, "Choose a verdict." in answer.content.decode()) == (400, True)
    assert "half a reason</textarea>" in answer.content.decode()
    answer = sent(curator, sample, {**opened(curator, sample)[1], "verdict": "fix"})
    assert (answer.status_code, "Say why" in answer.content.decode()) == (400, True)
    answer = sent(curator, sample, {"verdict": "fix", "comment": "kept"})
    assert "lost its hidden fields" in answer.content.decode()
    assert not Review.objects.filter(kind="adjudication").exists()


def test_a_vote_that_arrives_meanwhile_is_shown_before_the_decision_is_stored(people, curator):
    sample = judged(people, "accept", "reject")
    _, hidden = opened(curator, sample)
    review.submit_review(sample, acting(make_user("annotator", "cyd")), "fix", comment="a third way")
    answer = sent(curator, sample, {**hidden, "verdict": "accept", "comment": "ada is right"})
    text = answer.content.decode()
    assert (answer.status_code, "Not saved yet" in text, "a third way" in text) == (409, True, True)
    assert "ada is right</textarea>" in text


def test_a_second_decision_from_another_page_is_not_stored_unseen(people, grace, curator):
    sample = judged(people, "accept", "reject")
    _, hidden = opened(curator, sample)
    adjudicate(sample, acting(grace), "reject", "ben is right")
    answer = sent(curator, sample, {**hidden, "verdict": "accept", "comment": "ada is right"})
    assert answer.status_code == 409
    assert "ben is right" in answer.content.decode()


def test_more_disputes_and_votes_cost_no_more_queries(people, curator):
    judged(people, "accept", "reject")
    with CaptureQueriesContext(connection) as few:
        curator.get("/review/adjudicate/")
    for _ in range(3):
        judged([*people, make_user("annotator")], "accept", "reject", "fix")
    with CaptureQueriesContext(connection) as many:
        curator.get("/review/adjudicate/")
    assert len(many) == len(few)


def test_a_decision_is_no_review_to_undo_or_to_change_on_the_review_page(people, curator):
    sample = judged(people, "accept", "reject")
    sent(curator, sample, {**opened(curator, sample)[1], "verdict": "fix", "comment": "so"})
    assert "You have not reviewed anything yet" in curator.get("/review/").content.decode()
    page = curator.get(f"/review/{sample.pk}/").content.decode()
    assert "You reviewed this on" not in page
    assert "adjudication" in page


def test_the_sample_page_leads_a_curator_to_the_dispute_until_it_is_decided(
    people, curator, annotator, grace
):
    sample = judged(people, "accept", "reject")
    address = f"/review/adjudicate/{sample.pk}/"
    assert address in curator.get(sample.get_absolute_url()).content.decode()
    assert address not in annotator.get(sample.get_absolute_url()).content.decode()
    adjudicate(sample, acting(grace), "accept", "ada is right")
    page = curator.get(sample.get_absolute_url()).content.decode()
    assert address not in page
    assert "accepted by adjudication (1 rejected, 1 accepted)" in page
