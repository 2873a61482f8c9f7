"""Tests of the rubric's versions: publishing one, reviewing under one, and forms of older ones."""

import copy
import re
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from datasets_app import review
from datasets_app.models import AppendOnlyError, AuditEntry, Review, ReviewDraft, RubricVersion
from datasets_app.review.agreement import agreement, rubric_fields
from datasets_app.review.rubric import RubricOutdatedError, current_rubric, publish
from datasets_app.review.rubric.definition import FIELDS, RubricError
from datasets_app.review.rubric.fields import PAGE_KEYS, VERDICTS
from datasets_app.views.review_page import KEYS
from tests.factories import acting, make_sample, make_user
from tests.review.test_pages import opened

pytestmark = pytest.mark.django_db


def definition(**changes):
    """Return the newest version's definition with changes."""
    current = current_rubric()
    return {**copy.deepcopy({name: getattr(current, name) for name in FIELDS}), "note": "stricter", **changes}


def without_trace_quality(cleo, **changes):
    criteria = [one for one in current_rubric().criteria if one["name"] != "trace_quality"]
    return publish(definition(criteria=criteria, **changes), 1, actor=cleo)


def test_a_site_begins_with_version_1_and_its_keys_pass_the_checks_of_later_ones(cleo):
    assert [one.name for one in current_rubric().criterion_list] == [
        "correctness",
        "kernel_quality",
        "trace_quality",
        "faithfulness",
    ]
    assert [one.title for one in current_rubric().reason_list] == [
        "Wrong result",
        "Cheat",
        "Library call",
        "Unfaithful trace",
        "Redundant trace",
        "Poor code",
    ]
    version = publish(definition(comment_required_for=["reject"]), 1, actor=cleo)
    assert (version.number, version.created_by.username) == (2, "cleo")


@pytest.mark.django_db(transaction=True)
def test_migrating_again_stores_version_1_once():
    call_command("migrate", verbosity=0)
    assert RubricVersion.objects.count() == 1


def test_every_key_of_the_review_page_is_refused_to_a_rubric():
    typed = {key for row in KEYS for key in row[0].split() if len(key) == 1 and key.isascii()}
    assert typed <= PAGE_KEYS
    assert not PAGE_KEYS & {choice.key for choice in VERDICTS}


def test_a_version_cannot_be_changed_and_publishing_is_in_the_log(cleo):
    version = publish(definition(guidelines="Read twice."), 1, actor=cleo)
    entry = AuditEntry.objects.get(action="rubric.publish")
    assert (entry.target_id, entry.detail) == ("2", {"number": 2, "note": "stricter"})
    version.note = "other"
    with pytest.raises(AppendOnlyError):
        version.save()
    with pytest.raises(AppendOnlyError):
        version.delete()


def test_an_annotator_publishes_nothing(ada):
    with pytest.raises(PermissionDenied):
        publish(definition(guidelines="Mine."), 1, actor=ada)
    assert RubricVersion.objects.count() == 1


def row(place, **fields):
    """Return the rows of version 1 with other fields in the first one."""
    first, *rest = getattr(current_rubric(), place)
    return {place: [{**first, **fields}, *rest]}


@pytest.mark.parametrize(
    ("place", "fields", "fault", "words"),
    [
        ("criteria", {"key": "q"}, "criteria.1.key", "q is the key of Correctness"),
        ("criteria", {"key": "a"}, "criteria.0.key", "the key of the verdict Accept"),
        ("criteria", {"key": "s"}, "criteria.0.key", "uses s itself"),
        ("criteria", {"key": "/"}, "criteria.0.key", "uses / itself"),
        ("criteria", {"key": "é"}, "criteria.0.key", "one letter from a to z"),
        ("criteria", {"key": "zz"}, "criteria.0.key", "at most 1"),
        ("criteria", {"key": ""}, "criteria.0.key", "Enter a key"),
        ("criteria", {"name": "Right!"}, "criteria.0.name", "lower-case letters"),
        ("criteria", {"name": "verdict"}, "criteria.0.name", "another field of a review"),
        ("criteria", {"name": "faithfulness"}, "criteria.3.name", "is used above"),
        ("criteria", {"title": ""}, "criteria.0.title", "Enter a title"),
        ("criteria", {"low": ["x"]}, "criteria.0.low", "This is a text"),
        ("criteria", {"required": "yes"}, "criteria.0.required", "true or false"),
        ("criteria", {"colour": "red"}, "criteria.0", "colour is no field"),
        ("reasons", {"verdicts": ["maybe"]}, "reasons.0.verdicts", "list of verdicts"),
        ("reasons", {"code": "cheat"}, "reasons.1.code", "is used above"),
    ],
)
def test_a_fault_of_a_new_version_is_named_at_its_place(cleo, place, fields, fault, words):
    with pytest.raises(RubricError) as caught:
        publish(definition(**row(place, **fields)), 1, actor=cleo)
    assert words in caught.value.faults[fault]
    assert RubricVersion.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"criteria": 5}, "criteria"),
        ({"criteria": [5]}, "criteria"),
        ({"reasons": [], "reason_required_for": ["reject"]}, "reason_required_for"),
        ({"note": " "}, "note"),
        ({"guidelines": "x" * 20_001}, "guidelines"),
        ({"comment_required_for": {}}, "comment_required_for"),
        ({"beauty": 1}, "criteria"),
        ({}, "criteria"),  # the same as version 1
    ],
)
def test_a_version_that_makes_no_sense_is_refused(cleo, changes, fault):
    with pytest.raises(RubricError) as caught:
        publish(definition(**changes), 1, actor=cleo)
    assert fault in caught.value.faults


def test_two_curators_at_once_publish_one_version_and_the_second_learns_of_it(cleo):
    publish(definition(guidelines="One."), 1, actor=cleo)
    with pytest.raises(RubricOutdatedError, match=r"Version 2 was published by cleo.*stricter"):
        publish(definition(guidelines="Two."), 1, actor=cleo)


def test_a_review_names_the_version_that_it_was_made_under(cleo, ada):
    sample = make_sample()
    older = review.submit_review(sample, ada, "accept", {"trace_quality": 4})
    without_trace_quality(cleo)
    newer = review.submit_review(
        sample, ada, "fix", {"correctness": 4}, reasons=["poor_code", "library_call"]
    )
    assert [older.rubric_id, newer.rubric_id] == [1, 2]
    assert newer.reasons == ["library_call", "poor_code"]
    assert Review.objects.with_rubric().get(pk=older.pk).score_list() == [("trace quality", 4)]


def test_a_reason_that_does_not_go_with_the_verdict_is_refused(ada):
    with pytest.raises(review.ReviewError, match="“Cheat” goes with reject, not with accept"):
        review.submit_review(make_sample(), ada, "accept", reasons=["cheat"])


def test_what_a_version_requires_is_asked_for_field_by_field(cleo, ada):
    rules = {"reason_required_for": ["reject"], "comment_required_for": ["reject"]}
    publish(definition(**row("criteria", required=True), **rules), 1, actor=cleo)
    with pytest.raises(review.ReviewError) as caught:
        review.submit_review(make_sample(), ada, "reject")
    assert set(caught.value.errors) == {"correctness", "reasons", "comment"}
    assert review.submit_review(make_sample(), ada, "accept", {"correctness": 3}).pk


def test_an_older_version_is_refused_and_a_repeated_key_is_still_found(cleo, ada):
    sample, key = make_sample(), uuid4()
    given = {"scores": {"trace_quality": 2}, "key": key, "rubric": 1}
    first = review.submit_review(sample, ada, "fix", **given)
    without_trace_quality(cleo)
    assert review.submit_review(sample, ada, "fix", **given) == first
    with pytest.raises(review.RubricChangedError):
        review.submit_review(sample, ada, "fix", **{**given, "key": uuid4()})


def test_a_version_published_while_the_form_was_open_keeps_what_was_typed(annotator, cleo):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    without_trace_quality(cleo)
    typed = {"verdict": "fix", "comment": "kept words", "correctness": "4", "trace_quality": "2"}
    sent = {**hidden, **typed, "reason-poor_code": "1"}
    answer = annotator.post(f"/review/{sample.pk}/", sent)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "version 2 of the rubric was published" in text
    assert "stricter" in text
    assert "does not ask: Trace quality 2" in text
    assert re.search(r'name="correctness" value="4" checked', text)
    assert re.search(r'name="reason-poor_code" value="1"[^>]*checked', text)
    assert "kept words" in text
    again = dict(re.findall(r'<input type="hidden" name="(key|seen|rubric)" value="([^"]*)"', text))
    assert annotator.post(
        f"/review/{sample.pk}/", {**sent, "seen": hidden["seen"], "rubric": again["rubric"]}
    ).url
    stored = Review.objects.get()
    assert (stored.rubric_id, stored.scores, stored.reasons) == (2, {"correctness": 4}, ["poor_code"])


def test_a_draft_of_an_older_version_opens_under_the_newer_one(annotator, cleo):
    sample = make_sample()
    _, hidden = opened(annotator, sample)
    typed = {"trace_quality": "5", "correctness": "3", "reason-cheat": "1"}
    annotator.post(f"/review/{sample.pk}/draft/", {**hidden, **typed})
    assert ReviewDraft.objects.get().fields == {**typed, "rubric": "1"}
    without_trace_quality(cleo)
    assert annotator.post(f"/review/{sample.pk}/claim/", hidden).json()["changed"] is True
    text, _ = opened(annotator, sample)
    assert "typed under version 1" in text
    assert "does not ask: Trace quality 5" in text
    assert re.search(r'name="correctness" value="3" checked', text)
    assert re.search(r'name="reason-cheat" value="1"[^>]*checked', text)


def test_reasons_have_an_agreement_of_their_own(ada):
    ben = acting(make_user("annotator", "ben"))
    for at in range(6):
        sample = make_sample()
        for person in (ada, ben):
            review.submit_review(sample, person, "reject", reasons=["cheat"] if at % 2 else [])
    assert "reason:cheat" in rubric_fields()
    report = agreement("reason:cheat")
    assert report.field.values == ("not given", "given")
    assert report.pairs[0].kappa.value == pytest.approx(1)
