"""Tests the pages and REST of edits: what was typed is never lost, and each refusal is a sentence."""

import pytest
from django.urls import reverse

from datasets_app import review
from datasets_app.models import Edit, Finding, Sample, VerificationReport
from datasets_app.review import edits
from eval_app.request.edits import propose_edit
from tests.factories import acting, make_sample, make_user
from tests.review.edits.test_edits import FIXED, conclude

pytestmark = pytest.mark.django_db
KEY = "0b1c2d3e-4f50-4617-8899-aabbccddeeff"


@pytest.fixture
def base():
    return Sample.objects.with_body().get(pk=make_sample().pk)


@pytest.fixture
def ada(client):
    person = make_user("annotator", "ada")
    client.force_login(person)
    return acting(person)


def form(base, **more):
    return {
        "kernel_code": FIXED,
        "reasoning": base.body.reasoning,
        "reason": "out of bounds",
        "key": KEY,
        "do": "send",
    } | more


def test_the_editor_shows_the_texts_then_the_difference_then_sends(client, ada, base):
    url = reverse("edit-propose", args=[base.pk])
    assert base.body.kernel_code.strip()[:20] in client.get(url).content.decode()
    looked = client.post(url, form(base, do="look")).content.decode()
    assert "The difference" in looked
    assert KEY in looked
    assert "x.relu()" in looked
    assert not Edit.objects.exists()
    sent = client.post(url, form(base), follow=True)
    assert "Being verified" in sent.content.decode()
    assert Edit.objects.get().author == ada.user


def test_a_refused_edit_comes_back_with_everything_that_was_typed(client, ada, base):
    url = reverse("edit-propose", args=[base.pk])
    answer = client.post(url, form(base, kernel_code="my long work", reason=""))
    text = answer.content.decode()
    assert answer.status_code == 400
    assert "my long work" in text
    assert "out of bounds" not in text
    assert "The reason is empty" in text


def test_a_base_that_was_superseded_or_deleted_meanwhile_loses_no_text(client, ada, base):
    first = propose_edit(base, ada, "", FIXED, "simpler")
    conclude(first)
    edits.accept_edit(first, acting(make_user("curator", "cora")), seen=1)
    answer = client.post(reverse("edit-propose", args=[base.pk]), form(base, kernel_code=FIXED + "# mine"))
    assert answer.status_code == 409
    assert "superseded by the revision" in answer.content.decode()
    assert "# mine" in answer.content.decode()
    missing = client.post(reverse("edit-propose", args=[KEY]), form(base, kernel_code="# mine"))
    assert (missing.status_code, b"# mine" in missing.content) == (404, True)


def test_a_version_sent_from_another_tab_is_not_overwritten_unseen(client, ada, base):
    edit = propose_edit(base, ada, base.body.reasoning, FIXED, "simpler")
    url = reverse("edit-change", args=[edit.pk])
    client.post(url, form(base, kernel_code=FIXED + "# one", seen="1"))
    answer = client.post(url, form(base, kernel_code=FIXED + "# two", seen="1"))
    assert answer.status_code == 409
    assert "Version 2" in answer.content.decode()
    assert "# two" in answer.content.decode()
    assert client.post(url, form(base, kernel_code=FIXED + "# two", seen="2")).status_code == 302
    assert edit.versions.count() == 3


def test_a_revision_links_its_base_and_shows_the_approvals_before_it(client, ada, base):
    review.submit_review(base, ada, "accept", {"trace_quality": 5})
    edit = propose_edit(base, ada, base.body.reasoning, FIXED, "simpler")
    assert "1 open edit" in client.get(base.get_absolute_url()).content.decode()
    conclude(edit)
    assert "Accept the edit" not in client.get(edit.get_absolute_url()).content.decode()
    ben = make_user("annotator", "ben")
    client.force_login(ben)
    assert "Accept the edit" in client.get(edit.get_absolute_url()).content.decode()
    answer = client.post(reverse("edit-accept", args=[edit.pk]), {"seen": "1"}, follow=True)
    text = answer.content.decode()
    assert "Accepted by 1 of 1 before" in text
    assert f"?against={base.pk}&amp;of=kernel" in text
    assert "still applies" in text
    assert "Superseded" in client.get(base.get_absolute_url()).content.decode()
    assert client.get(f"{answer.request['PATH_INFO']}?against={base.pk}&of=kernel").status_code == 200


def test_a_failed_edit_shows_its_reason_and_is_refused_on_its_page(client, ada, base):
    edit = propose_edit(base, ada, base.body.reasoning, FIXED, "simpler")
    conclude(edit, "wrong_value", detail="2 of 4 elements <b>differ</b>")
    text = client.get(edit.get_absolute_url()).content.decode()
    assert "Failed" in text
    assert "&lt;b&gt;differ" in text
    client.force_login(make_user("curator", "cora"))
    answer = client.post(reverse("edit-accept", args=[edit.pk]), {"seen": "1"})
    assert (answer.status_code, b"has not passed" in answer.content) == (409, True)


def test_the_list_of_edits_costs_a_fixed_number_of_queries(client, ada, base, django_assert_max_num_queries):
    for number in range(5):
        propose_edit(base, ada, base.body.reasoning, f"{FIXED}# {number}\n", "simpler")
    with django_assert_max_num_queries(9):
        assert client.get(reverse("edits")).content.count(b"being verified") == 5
    with django_assert_max_num_queries(10):
        assert len(client.get("/api/v1/edits/").json()["results"]) == 5


def test_rest_proposes_reads_changes_withdraws_and_accepts(client, ada, base):
    given = {"base": str(base.pk), "kernel_code": FIXED, "reasoning": base.body.reasoning, "reason": "bounds"}

    def post(path, data=None):
        return client.post(f"/api/v1/edits/{path}", data or {}, content_type="application/json")

    made = post("", given)
    assert (made.status_code, made.json()["status"]) == (201, "being verified")
    edit = Edit.objects.get()
    assert client.get(f"/api/v1/edits/{edit.pk}/").json()["kernel_code"] == FIXED
    assert post("", given | {"kernel_code": "x = 1"}).json()["errors"]["kernel_code"]
    texts = {"kernel_code": FIXED + "# two", "reasoning": base.body.reasoning}
    assert post(f"{edit.pk}/", texts | {"seen": 7}).status_code == 409
    assert post(f"{edit.pk}/", texts | {"seen": 1}).json()["version"] == 2
    assert post(f"{edit.pk}/accept/", {"seen": 2}).status_code == 403
    client.force_login(make_user("curator", "cora"))
    assert post(f"{edit.pk}/accept/", {"seen": 2}).status_code == 400
    conclude(edit)
    accepted = post(f"{edit.pk}/accept/", {"seen": 2}).json()
    assert (accepted["state"], accepted["status"]) == ("accepted", "accepted")
    assert client.get(f"/api/v1/samples/{accepted['revision']}/").json()["outcome"] == "passed"
    assert post(f"{edit.pk}/withdraw/").status_code == 409


def test_a_failed_run_has_a_page_of_its_own_with_its_evidence(client, ada, base):
    edit = propose_edit(base, ada, base.body.reasoning, FIXED, "out of bounds")
    run = edits.standing_of(edit).newest
    address = reverse("edit-run", args=[edit.pk, run.pk])
    assert client.get(address).url == edit.get_absolute_url()  # which follows it while it runs
    conclude(edit, "wrong_value", detail="51 of 180 elements differ in trial natural")
    Finding.objects.create(
        verification=run, code="wrong_value", severity="reject", detail="the <b>last</b> row"
    )
    report = {
        "correctness": {"trials": [{"kind": "natural", "passed": False}]},
        "versions": {"engine": "1.2.0"},
    }
    VerificationReport.objects.create(verification=run, report=report)
    assert address in client.get(edit.get_absolute_url()).content.decode()
    text = client.get(address).content.decode()
    assert "51 of 180 elements differ" in text
    assert "the &lt;b&gt;last&lt;/b&gt; row" in text
    assert f'href="{address}"' in text
    assert client.get(reverse("verification-report", args=[run.pk])).status_code == 200
    assert client.get(reverse("edit-run", args=[edit.pk + 1, run.pk])).status_code == 404


def test_the_run_of_an_accepted_edit_is_the_revisions_evidence(client, ada, base):
    edit = propose_edit(base, ada, base.body.reasoning, FIXED, "out of bounds")
    run = edits.standing_of(edit).newest
    conclude(edit)
    edits.accept_edit(edit, acting(make_user("annotator", "ben")), seen=1)
    assert client.get(reverse("edit-run", args=[edit.pk, run.pk])).url == reverse(
        "verification", args=[run.pk]
    )
