"""Tests that samples are withdrawn and brought back, one by one or by ingest, and are hidden meanwhile."""

from functools import partial

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from concur_site import pipeline
from datasets_app import ingest as stage
from datasets_app import review
from datasets_app.browse.list import facets
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.curate import store
from datasets_app.db.facet_index import read
from datasets_app.ingest.withdraw import BATCH
from datasets_app.models import AuditEntry, Ingest, Note, Release, ReleaseRow, ReviewDraft, SampleWithdrawal
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def cur():
    return acting(make_user("curator", "cur"))


@pytest.fixture
def ben():
    return acting(make_user("annotator", "ben"))


def listed(**params):
    return {row.pk for row in Sets(BrowseFilter.from_params(params), read()).rows()}


def make_ingest(actor, **fields):
    done = {"state": "done", "finished_at": timezone.now()}
    return Ingest.objects.create(
        file_name="rows.jsonl", path="/x", created_by=actor.user, **{**done, **fields}
    )


def in_release(sample, name="first"):
    release = Release.objects.create(name=name, recipe_name="all", definition={})
    ReleaseRow.objects.create(release=release, position=0, sample=sample, split="train", snapshot={})
    Release.objects.filter(pk=release.pk).update(state="queued")
    return release


# --- One sample ---------------------------------------------------------------------------------------


def test_a_withdrawn_sample_is_in_no_list_until_it_is_asked_for_or_brought_back(cur):
    gone, stays = make_sample(), make_sample()
    stage.withdraw_sample(gone, cur, "licence unclear")
    assert listed() == listed(language="python") == {stays.pk}
    assert (facets.total(BrowseFilter()), pipeline.sample_numbers(cur)["samples"]) == (1, 1)
    assert listed(withdrawn="yes") == {gone.pk}
    stage.restore_sample(gone, cur)
    assert listed() == {gone.pk, stays.pk}


def test_it_is_in_no_recipe_and_in_no_queue(cur, ben):
    gone, stays = make_sample(), make_sample()
    queue = make_queue("first look", cur)
    queues.open_queue(queue, cur)
    queue.refresh_from_db()
    stage.withdraw_sample(gone, cur, "licence unclear")
    assert [row.id for row in store.rows("")] == [str(stays.pk)]
    assert queues.next_in_queue(queue, ben) == stays
    counts = queues.progress_of([queue], ben.user)[queue.pk]
    assert (counts.samples, counts.wanted) == (1, 1)


def test_a_new_queue_does_not_take_it(cur):
    stage.withdraw_sample(make_sample(), cur, "licence unclear")
    queue = make_queue("first look", cur)
    assert queues.count_new(queue) == 0


def test_a_reviewer_is_not_offered_it(cur, ben):
    stage.withdraw_sample(make_sample(), cur, "licence unclear")
    assert review.next_sample(ben) is None


def test_the_same_withdrawal_again_stores_nothing_and_another_is_refused_with_the_first(cur):
    sample = make_sample()
    first = stage.withdraw_sample(sample, cur, "licence unclear")
    assert stage.withdraw_sample(sample, cur, "licence unclear ") == first
    with pytest.raises(stage.WithdrawalError, match="cur withdrew this sample: “licence unclear”"):
        stage.withdraw_sample(sample, acting(make_user("curator")), "copied")
    assert SampleWithdrawal.objects.count() == 1


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 1001, "\x1b[2J"])
def test_a_reason_that_cannot_be_stored_is_refused(cur, reason):
    with pytest.raises(stage.WithdrawalError, match="The reason"):
        stage.withdraw_sample(make_sample(), cur, reason)
    assert not SampleWithdrawal.objects.exists()


def test_an_annotator_may_not_withdraw(ben):
    with pytest.raises(PermissionDenied):
        stage.withdraw_sample(make_sample(), ben, "licence unclear")


def test_bringing_back_keeps_the_history_and_a_second_time_changes_nothing(cur):
    sample = make_sample()
    stage.withdraw_sample(sample, cur, "licence unclear")
    assert [stage.restore_sample(sample, cur) for _ in range(2)] == [True, False]
    withdrawal = SampleWithdrawal.objects.get()
    assert (withdrawal.reason, withdrawal.ended_by) == ("licence unclear", cur.user)
    actions = AuditEntry.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["sample.withdraw", "sample.restore"]


def test_a_sample_withdrawn_under_an_open_review_form_ends_in_a_sentence_and_keeps_the_text(client, cur, ben):
    sample = make_sample()
    client.force_login(ben.user)
    page = client.get(f"/review/{sample.pk}/")
    stage.withdraw_sample(sample, cur, "licence <b>unclear</b>")
    form = page.context["form"]
    sent = {
        "verdict": "accept",
        "comment": "my careful words",
        "key": form["key"].value(),
        "seen": form["seen"].value(),
    }
    answer = client.post(f"/review/{sample.pk}/", {**sent, "draft": "0"})
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "licence &lt;b&gt;unclear&lt;/b&gt;" in text
    assert "my careful words" in text
    assert not sample.reviews.exists()


def test_a_program_reads_why_its_review_of_a_withdrawn_sample_is_refused(annotator, cur):
    sample = make_sample()
    stage.withdraw_sample(sample, cur, "licence unclear")
    sent = {"sample": str(sample.pk), "verdict": "accept"}
    answer = annotator.post("/api/v1/reviews/", sent, content_type="application/json")
    assert (answer.status_code, "licence unclear" in answer.json()["detail"]) == (409, True)


def test_its_page_says_who_withdrew_it_and_why_and_names_the_releases(client, cur, reader):
    sample = make_sample()
    release = in_release(sample)
    client.force_login(cur.user)
    assert release.name in client.get(f"/samples/{sample.pk}/withdraw/").content.decode()
    answer = client.post(f"/samples/{sample.pk}/withdraw/", {"reason": "copied <i>code</i>"})
    assert answer.headers["Location"] == f"/samples/{sample.pk}/"
    page = reader.get(f"/samples/{sample.pk}/").content.decode()
    assert "cur withdrew this sample: “copied &lt;i&gt;code&lt;/i&gt;”" in page
    assert "/releases/first/" in page
    assert "Bring it back" not in page
    assert ReleaseRow.objects.filter(sample=sample).exists()
    client.post(f"/samples/{sample.pk}/restore/")
    assert "withdrew this sample" not in reader.get(f"/samples/{sample.pk}/").content.decode()


def test_a_refused_reason_comes_back_in_the_form(curator):
    sample = make_sample()
    answer = curator.post(f"/samples/{sample.pk}/withdraw/", {"reason": "y" * 1001})
    assert (answer.status_code, "y" * 1001 in answer.content.decode()) == (400, True)


# --- An ingest ----------------------------------------------------------------------------------------


def test_undoing_an_ingest_withdraws_what_nobody_has_used_and_names_the_rest(cur, ben):
    ingest = make_ingest(cur)
    free, judged, noted, released = (make_sample(ingest=ingest) for _ in range(4))
    elsewhere = make_sample()
    review.submit_review(judged, ben, "accept")
    Note.objects.create(sample=noted, author=ben.user)
    in_release(released)
    plan = stage.undo_plan(ingest)
    assert (plan.going, plan.staying) == (1, 3)
    assert [(held.sample, held.reasons) for held in plan.held] == [
        (judged, ["reviewed"]),
        (noted, ["noted"]),
        (released, ["released"]),
    ]
    assert stage.undo_ingest(ingest, cur, "wrong file") == 1
    assert listed() == {judged.pk, noted.pk, released.pk, elsewhere.pk}
    assert SampleWithdrawal.objects.get().sample == free


def test_an_undone_ingest_is_brought_back_at_once_but_for_what_was_withdrawn_by_itself(cur):
    ingest = make_ingest(cur)
    samples = [make_sample(ingest=ingest) for _ in range(3)]
    stage.withdraw_sample(samples[0], cur, "copied")
    assert stage.undo_ingest(ingest, cur, "wrong file") == 2
    assert stage.restore_ingest(ingest, cur) == 2
    assert listed() == {sample.pk for sample in samples[1:]}


def test_undoing_ends_drafts_nowhere(cur, ben):
    ingest = make_ingest(cur)
    sample = make_sample(ingest=ingest)
    ReviewDraft.objects.create(sample=sample, reviewer=ben.user, fields={"comment": "so far"})
    stage.undo_ingest(ingest, cur, "wrong file")
    assert ReviewDraft.objects.get().fields == {"comment": "so far"}


def test_an_ingest_that_has_not_ended_and_one_of_somebody_else_are_not_undone(cur):
    with pytest.raises(stage.IngestError, match="cancel it first"):
        stage.undo_ingest(make_ingest(cur, state="running", finished_at=None), cur, "wrong file")
    with pytest.raises(PermissionDenied, match="the person who started it"):
        stage.undo_ingest(make_ingest(cur), acting(make_user("curator")), "wrong file")


def test_the_cost_of_an_undoing_grows_by_batches_and_not_by_samples(cur, django_assert_max_num_queries):
    ingest = make_ingest(cur)
    for _ in range(12):
        make_sample(ingest=ingest)
    assert BATCH >= 12
    with django_assert_max_num_queries(14):
        stage.undo_ingest(ingest, cur, "wrong file")
    with django_assert_max_num_queries(5):
        list(stage.undo_plan(ingest).held)


def test_the_page_of_an_undoing_withdraws_and_brings_back(client, cur):
    ingest = make_ingest(cur, new_samples=1)
    sample = make_sample(ingest=ingest)
    client.force_login(cur.user)
    undo = f"/ingest/{ingest.pk}/undo/"
    assert undo in client.get(f"/ingest/{ingest.pk}/").content.decode()
    assert client.post(undo, {"reason": ""}).status_code == 400
    page = client.post(undo, {"reason": "wrong file"}, follow=True).content.decode()
    assert "Bring back 1 sample" in page
    assert "Withdrawn: 1 samples." in page
    client.post(f"/ingest/{ingest.pk}/restore/")
    assert listed() == {sample.pk}


def test_programs_withdraw_and_undo_through_the_same_verbs(client, cur):
    ingest = make_ingest(cur)
    sample = make_sample(ingest=ingest)
    client.force_login(cur.user)
    send = partial(client.post, content_type="application/json")
    url, reason = f"/api/v1/samples/{sample.pk}", {"reason": "wrong file"}
    assert send(f"{url}/withdraw/", reason).json()["withdrawn_by"] == "cur"
    assert send(f"{url}/withdraw/", {"reason": "other"}).status_code == 409
    assert send(f"{url}/restore/").json() == {"samples": 1}
    url = f"/api/v1/ingests/{ingest.pk}"
    assert send(f"{url}/undo/", {"reason": "\x07"}).status_code == 400
    assert send(f"{url}/undo/", reason).json() == send(f"{url}/restore/").json() == {"samples": 1}
