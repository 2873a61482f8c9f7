"""Tests that a sample's verdict follows the site's policy: on a review, in lists and recipes, after a change."""

import pytest

from datasets_app import review
from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.query import parse_query
from datasets_app.curate.row import Row
from datasets_app.curate.rules.evidence import Verdict
from datasets_app.maintenance import runs
from datasets_app.models import MaintenanceKind, Sample
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [make_user("annotator", name) for name in ("ada", "ben", "cyd")]


def judged(sample, people, verdicts):
    for person, verdict in zip(people, verdicts, strict=False):
        review.submit_review(sample, acting(person), verdict)
    sample.refresh_from_db()
    return sample.verdict


def brought_up_to_date():
    return runs.run(runs.request(MaintenanceKind.VERDICTS, COMMAND, in_background=False).pk)


@pytest.mark.parametrize(
    ("policy", "verdict"), [("newest", "reject"), ("majority", "accept"), ("unanimous", "contested")]
)
def test_a_review_decides_by_the_sites_policy(settings, people, policy, verdict):
    settings.VERDICT_POLICY = policy
    sample = make_sample()
    assert judged(sample, people, ["accept", "accept", "reject"]) == verdict


def test_a_contested_sample_is_reviewed_and_is_found_by_its_word(settings, people):
    settings.VERDICT_POLICY = "majority"
    contested, accepted = make_sample(), make_sample()
    assert judged(contested, people, ["accept", "reject"]) == "contested"
    judged(accepted, people, ["accept"])
    assert list(parse_query("verdict:contested").queryset()) == [contested]
    assert set(parse_query("review:reviewed").queryset()) == {contested, accepted}
    assert list(parse_query("verdict:accept").queryset()) == [accepted]


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        ("accepted", "its reviewers disagree"),
        ("not_rejected", ""),
        ("reviewed_not_rejected", "its reviewers disagree"),
    ],
)
def test_a_recipe_takes_a_contested_sample_for_neither_accepted_nor_rejected(keep, reason):
    rule = Verdict({"keep": keep})
    assert rule.refuses(Row(id="1", task="1", verdict="contested")) == reason


def test_after_a_change_of_policy_maintenance_decides_all_samples_again(settings, people):
    shared, alone = make_sample(), make_sample()
    judged(shared, people, ["accept", "reject"])
    judged(alone, people, ["reject"])
    work = runs.WORKS[MaintenanceKind.VERDICTS]
    assert work.waiting() == 0
    settings.VERDICT_POLICY = "unanimous"
    assert work.waiting() == 1
    assert brought_up_to_date().done == 1
    assert work.waiting() == 0
    assert set(Sample.objects.values_list("pk", "verdict")) == {
        (shared.pk, "contested"),
        (alone.pk, "reject"),
    }
    settings.VERDICT_POLICY = "newest"
    assert work.waiting() == 1
    brought_up_to_date()
    shared.refresh_from_db()
    assert shared.verdict == "reject"


def test_the_sample_page_says_how_it_was_decided(settings, people, curator):
    settings.VERDICT_POLICY = "majority"
    sample = make_sample()
    judged(sample, people, ["accept", "reject", "accept"])
    page = curator.get(sample.get_absolute_url()).content.decode()
    assert "Verdict: accepted by 2 of 3, majority." in page


def test_in_blind_review_the_votes_are_hidden_until_the_own_review(settings, people, client):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    judged(sample, people, ["accept", "reject"])
    client.force_login(people[2])
    assert "Verdict: rejected by" not in client.get(sample.get_absolute_url()).content.decode()
    review.submit_review(sample, acting(people[2]), "reject")
    assert "Verdict: rejected by 2 of 3" in client.get(sample.get_absolute_url()).content.decode()
