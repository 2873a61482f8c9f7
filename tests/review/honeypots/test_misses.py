"""What reviewers made of honeypots, and what they are told."""

import pytest

from datasets_app.models import Honeypot
from datasets_app.review import submit_review, withdraw_review
from datasets_app.review.honeypots import miss_rates, told_after
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def honeypot(answer="cheat", family="attack on the judge"):
    return Honeypot.objects.create(
        sample=make_sample(), answer=answer, family=family, explanation="It replaces the clock."
    )


@pytest.mark.parametrize(
    ("answer", "verdict", "is_miss"),
    [
        ("cheat", "accept", True),
        ("cheat", "fix", False),
        ("cheat", "reject", False),
        ("sound", "accept", False),
        ("sound", "fix", False),
        ("sound", "reject", True),
    ],
)
def test_a_miss_is_a_cheat_accepted_or_a_sound_kernel_rejected(answer, verdict, is_miss):
    review = submit_review(honeypot(answer).sample, acting(make_user("annotator")), verdict)
    assert miss_rates()[0].overall.missed == is_miss
    assert ("That was a miss." in told_after(review)) == is_miss


def test_misses_are_counted_by_reviewer_and_family():
    ann, bob = make_user("annotator", "ann"), make_user("annotator", "bob")
    first, second = honeypot(), honeypot(family="no kernel of its own")
    submit_review(first.sample, acting(ann), "accept")
    submit_review(second.sample, acting(ann), "reject")
    submit_review(first.sample, acting(bob), "reject")
    submit_review(make_sample(), acting(bob), "accept")
    of_ann, of_bob = miss_rates()
    assert (of_ann.reviewer, of_ann.overall.percent) == ("ann", 50.0)
    families = ["attack on the judge", "no kernel of its own", "other tricks"]
    assert [(m.judged, m.missed) for m in of_ann.in_families(families)] == [(1, 1), (1, 0), (0, 0)]
    assert (of_bob.overall.judged, of_bob.overall.missed) == (1, 0)
    assert [row.reviewer for row in miss_rates(bob)] == ["bob"]


def test_the_first_review_counts_since_the_answer_is_known_afterwards():
    ann, sample = acting(make_user("annotator")), honeypot().sample
    first = submit_review(sample, ann, "accept")
    submit_review(sample, ann, "reject")
    withdraw_review(first, ann, "I see it now.")
    assert miss_rates()[0].overall.missed == 1


def test_a_reviewer_is_told_after_judging_what_it_was():
    review = submit_review(honeypot().sample, acting(make_user("annotator")), "reject")
    assert told_after(review) == (
        "The sample that you rejected was a test: known cheat (attack on the judge). It replaces the clock."
    )
    assert told_after(submit_review(make_sample(), acting(make_user("annotator")), "reject")) == ""
