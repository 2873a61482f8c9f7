"""Tests that the home page names each role's next work, and leads nobody to a page without a form for them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from concur_site.health.part import Part, Status
from concur_site.health.report import Report
from concur_site.next_work import next_work
from datasets_app import review
from datasets_app.accounts.roles import Role
from datasets_app.models import Assignment, Ingest, MaintenanceRun, Release, ReviewDraft, Suggestion
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db
HEALTHY = Report({})


def words_of(person, health=HEALTHY, unreviewed=0):
    groups = next_work(acting(person), health, unreviewed)
    return {group.title: [work.words for work in group.works] for group in groups}


@pytest.fixture
def ann():
    return make_user("annotator", "ann")


@pytest.fixture
def cur():
    return make_user("curator", "cur")


def opened(cur, name="first look", **fields):
    queue = make_queue(name, acting(cur), **fields)
    queues.open_queue(queue, acting(cur))
    queue.refresh_from_db()
    return queue


def disagreement(people=("one", "two")):
    sample = make_sample()
    for name, verdict in zip(people, ("accept", "reject"), strict=True):
        review.submit_review(sample, acting(make_user("curator", name)), verdict)
    return sample


def make_release(name, **fields):
    done = {"state": "done", "content_sha256": "0" * 64}
    return Release.objects.create(name=name, recipe_name="all", definition={}, **{**done, **fields})


def test_an_annotator_sees_assigned_samples_first_then_queues_that_have_work_for_them(ann, cur):
    sample = make_sample()
    opened(cur, overlap=2)
    Assignment.objects.create(sample=sample, reviewer=ann)
    assert words_of(ann)["Review"] == ["assigned to you", "reviews wanted in first look"]


def test_a_queue_that_the_annotator_has_finished_is_not_named(ann, cur):
    sample = make_sample()
    opened(cur, overlap=2)
    review.submit_review(sample, acting(ann), "accept")
    assert words_of(ann) == {}
    assert words_of(make_user("annotator"))["Review"] == ["review wanted in first look"]


def test_a_queue_whose_last_slot_another_reviewer_holds_is_not_named(ann, cur):
    make_sample()
    queue = opened(cur)
    queues.next_in_queue(queue, acting(make_user("annotator")))
    assert words_of(ann) == {}


def test_a_queue_for_named_reviewers_is_named_to_them_only(ann, cur):
    make_sample()
    queue = opened(cur)
    queue.reviewers.add(make_user("annotator", "ben"))
    assert words_of(ann) == {}


def test_an_overdue_queue_comes_first_and_is_marked(ann, cur):
    make_sample(generator="a")
    make_sample(generator="b")
    opened(cur, "later", query="generator:a")
    late = opened(cur, "late", query="generator:b")
    late.deadline = timezone.now().date() - timedelta(days=1)
    late.save()
    [group] = next_work(acting(ann), HEALTHY, 0)
    assert [(work.tone, "late," in work.words) for work in group.works] == [("is-doubt", True), ("", False)]
    assert group.works[0].words.endswith(f"late, overdue since {late.deadline}")


def test_an_unfinished_review_is_named_and_a_skipped_one_is_not(ann):
    sample = make_sample()
    draft = ReviewDraft.objects.create(sample=sample, reviewer=ann, fields={"comment": "so far"})
    [group] = next_work(acting(ann), HEALTHY, 0)
    assert [(work.words, work.url) for work in group.works] == [
        ("review of yours is unfinished", f"/review/{sample.pk}/")
    ]
    ReviewDraft.objects.filter(pk=draft.pk).update(skipped_at=timezone.now())
    assert words_of(ann) == {}


def test_without_a_queue_the_unreviewed_samples_are_the_work(ann):
    assert words_of(ann, unreviewed=3)["Review"] == ["samples without a review"]


def test_a_curator_sees_conflicts_suggestions_releases_and_queues(cur):
    disagreement()
    Suggestion.objects.create(
        sample=make_sample(),
        source="model",
        maker="critic",
        version="1",
        kind="verdict",
        verdict="fix",
        words="no",
    )
    make_release("bare")
    make_release("broken", state="failed", content_sha256="")
    make_queue("new", acting(cur))
    assert words_of(cur)["Curate"] == [
        "sample whose reviewers disagree",
        "suggestion without a reply",
        "release that failed",
        "release without files",
        "queue that is not opened yet",
    ]


def test_a_conflict_is_offered_to_a_curator_who_did_not_vote_on_it(cur):
    disagreement(("one", "two"))
    voter = acting(type(cur).objects.get(username="one"))
    assert "sample whose reviewers disagree" in words_of(cur)["Curate"]
    assert all(group.title != "Curate" for group in next_work(voter, HEALTHY, 0))


def test_the_only_curator_may_decide_what_they_voted_on():
    disagreement()
    people = type(make_user()).objects
    people.filter(username="two").update(is_active=False)
    assert words_of(people.get(username="one"))["Curate"] == ["sample whose reviewers disagree"]


def test_a_file_of_unknown_format_waits_for_a_curator_and_a_failed_job_for_an_administrator(cur):
    Ingest.objects.create(file_name="odd.bin", path="/x", state="failed", finished_at=timezone.now())
    MaintenanceRun.objects.create(kind="tokens", state="failed", finished_at=timezone.now())
    assert words_of(cur) == {"Curate": ["file of unknown format"]}
    boss = make_user("administrator", "boss")
    assert words_of(boss)["Site"] == ["maintenance run failed this week"]


def test_what_failed_long_ago_is_not_the_next_work():
    long_ago = timezone.now() - timedelta(days=30)
    MaintenanceRun.objects.create(kind="tokens", state="failed", finished_at=long_ago)
    assert words_of(make_user("administrator")) == {}


def test_an_administrator_is_led_to_the_hosts_when_no_worker_accepts_work():
    health = Report({"workers": Part(Status.DEGRADED, "No worker accepts verifications.")})
    assert words_of(make_user("administrator"), health)["Site"] == ["No worker accepts verifications."]
    assert words_of(make_user("curator"), health) == {}


@pytest.mark.parametrize("role", list(Role))
def test_every_entry_and_every_station_leads_to_a_page_that_the_role_may_use(client, role, cur):
    conflict, waiting = disagreement(), make_sample()
    person = make_user(role)
    opened(cur, query="verdict:none")
    Assignment.objects.create(sample=waiting, reviewer=person)
    ReviewDraft.objects.create(sample=conflict, reviewer=person, fields={"comment": "so far"})
    make_release("bare")
    MaintenanceRun.objects.create(kind="tokens", state="failed", finished_at=timezone.now())
    client.force_login(person)
    page = client.get("/").content.decode()
    links = re.findall(r'<a class="(?:button is-small|station-action)" href="([^"]+)"', page)
    forms = re.findall(r'<form method="post" action="(/review/next/[^"]*)"', page)
    assert len(links) >= 6
    assert {client.get(url).status_code for url in links} == {200}
    assert bool(forms) == (role != Role.READER)
    assert all("/review/" in client.post(url).headers["Location"] for url in forms)


@pytest.mark.parametrize(("role", "most"), [("annotator", 19), ("curator", 21), ("administrator", 22)])
def test_the_next_work_costs_the_same_number_of_queries_whatever_there_is(
    client, role, most, cur, django_assert_max_num_queries
):
    for number in range(4):
        disagreement((f"one-{number}", f"two-{number}"))
        make_release(f"bare-{number}")
        make_queue(f"new-{number}", acting(cur))
    opened(cur, overlap=3)
    client.force_login(make_user(role))
    client.get("/")
    with django_assert_max_num_queries(most):
        client.get("/")


def test_nothing_is_asked_about_kinds_of_work_that_wait_for_nobody(django_assert_num_queries):
    boss = acting(make_user("administrator"))
    with django_assert_num_queries(2):  # what has rows, and runs that failed on the site's side
        assert next_work(boss, HEALTHY, 0) == []
