"""Tests that samples are withdrawn and brought back, one by one or by ingest, and are hidden meanwhile."""

import pytest
from django.core.exceptions import PermissionDenied

from concur_site import pipeline
from datasets_app import ingest as stage
from datasets_app import review
from datasets_app.browse.list import facets
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.curate import store
from datasets_app.models import (
    AuditEntry,
    ReleaseRow,
    SampleWithdrawal,
)
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user
from tests.ingest.withdrawing import in_release, listed

pytestmark = pytest.mark.django_db


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
