"""Tests that an edit becomes a sample only when the engine passed it, and that nothing carries over unseen."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from datasets_app import review
from datasets_app.browse.query import parse_query
from datasets_app.curate.definition import parse
from datasets_app.curate.store import select
from datasets_app.evidence.record import refresh
from datasets_app.models import AppendOnlyError, AuditEntry, Edit, Evidence, Honeypot, Sample, Verification
from datasets_app.models.identity import sample_id
from datasets_app.review import edits
from datasets_app.review.adjudicate import adjudicate
from eval_app.request.edits import change_edit, propose_edit, verify_edit_again
from tests.factories import acting, make_sample, make_user
from tests.verifications import EPYC, finished, verified

pytestmark = pytest.mark.django_db
FIXED = "import torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return x.relu()\n"


@pytest.fixture
def base():
    return Sample.objects.with_body().get(pk=make_sample().pk)


def propose(base, actor, kernel=FIXED, reasoning=None, **more):
    reasoning = base.body.reasoning if reasoning is None else reasoning
    return propose_edit(base, actor, reasoning, kernel, "the loop reads past the end", **more)


def conclude(edit, outcome="passed", worker="bench-1", **fields):
    """Store what a worker's report says of the edit's newest run."""
    run = edits.standing_of(edit).newest
    Verification.runs.filter(pk=run.pk).update(
        state="done",
        outcome=outcome,
        device=EPYC if outcome != "infra_error" else "",
        finished_at=timezone.now(),
        worker=worker,
        **fields,
    )


def test_a_changed_kernel_waits_for_a_run_of_its_own_text(base, ada):
    edit = propose(base, ada)
    standing = edits.standing_of(edit)
    assert (standing.status, standing.version.number) == ("being verified", 1)
    content = sample_id(base.task.body.pytorch_code, base.body.reasoning, FIXED)
    assert standing.newest.subject_id == content == standing.version.content_id
    assert standing.newest.subject().body.kernel_code == FIXED


def test_a_passed_edit_becomes_a_revision_with_its_run_as_evidence(base, ada, ben):
    edit = propose(base, ada)
    conclude(edit)
    revision = edits.accept_edit(edit, ben, seen=1)
    assert (revision.parent_id, revision.turn, revision.task_id) == (base.pk, base.turn + 1, base.task_id)
    assert (revision.generator, revision.source_id) == (base.generator, base.source_id)
    assert revision.body.extra["edited_by"] == "ada"
    assert revision.body.kernel_code == FIXED
    assert (revision.outcome, revision.device, revision.verdict) == ("passed", EPYC, "")
    assert list(Sample.objects.superseded()) == [base]
    assert revision.trace_tokens
    assert revision.tokenizer
    assert [row.action for row in AuditEntry.objects.order_by("id")] == [
        "edit.propose",
        "edit.verify",
        "edit.accept",
    ]


@pytest.mark.parametrize("outcome", ["wrong_value", "cheated", "build_error", "infra_error"])
def test_no_other_outcome_is_accepted(base, ada, ben, outcome):
    edit = propose(base, ada)
    conclude(edit, outcome)
    with pytest.raises(edits.EditError, match="has not passed"):
        edits.accept_edit(edit, ben, seen=1)
    assert Sample.objects.count() == 1


def test_an_edit_under_way_is_not_accepted(base, ada, ben):
    with pytest.raises(edits.EditError, match="being verified"):
        edits.accept_edit(propose(base, ada), ben, seen=1)


def test_a_failed_edit_is_changed_and_tried_again(base, ada, ben):
    edit = propose(base, ada)
    conclude(edit, "wrong_value")
    with pytest.raises(edits.EditError, match="is failed"):
        verify_edit_again(edit, ada)
    change_edit(edit, ada, base.body.reasoning, FIXED.replace("relu", "abs"), seen=1)
    assert edits.standing_of(edit).status == "being verified"
    conclude(edit)
    assert "abs" in edits.accept_edit(edit, ben, seen=2).body.kernel_code


def test_a_run_that_decided_nothing_may_be_repeated(base, ada):
    edit = propose(base, ada)
    conclude(edit, "infra_error")
    assert edits.standing_of(edit).status == "not decided"
    verify_edit_again(edit, ada)
    assert edits.standing_of(edit).status == "being verified"


def test_only_a_run_of_this_sites_own_workers_counts(base, ada):
    edit = propose(base, ada)
    conclude(edit, worker="")
    assert edits.standing_of(edit).status == "not decided"


def test_an_edit_of_the_trace_alone_rests_on_the_evidence_of_its_kernel(base, ada, ben):
    run = verified(base, device=EPYC, worker="bench-1")
    edit = propose(base, ada, base.body.kernel_code, "Clamp, then add.")
    standing = edits.standing_of(edit)
    assert (standing.status, standing.runs, standing.rests_on) == ("passed", [], [run])
    revision = edits.accept_edit(edit, ben, seen=1)
    (carried,) = revision.verifications.all()
    assert (carried.carried_from, carried.outcome, revision.outcome) == (run, "passed", "passed")
    assert Evidence.objects.get(sample=base).verification == run


@pytest.mark.parametrize("stored", [{}, {"outcome": "wrong_value", "worker": "bench-1"}])
def test_imported_or_failed_evidence_of_the_kernel_does_not_pass_an_edit_of_the_trace(base, ada, stored):
    verified(base, device=EPYC, **stored)
    edit = propose(base, ada, base.body.kernel_code, "Clamp, then add.")
    assert edits.standing_of(edit).status == "being verified"


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("", "empty"),
        ("x = 1", "no class ModelNew"),
        ("class ModelNew(:", "does not parse"),
        (FIXED + "\x00", "U\\+0000"),
        (FIXED + "#" * 500_001, "at most 500,000"),
    ],
)
def test_a_text_that_cannot_be_a_candidate_is_refused_with_a_sentence(base, ada, kernel, sentence):
    with pytest.raises(edits.EditError, match=sentence):
        propose(base, ada, kernel)
    assert not Edit.objects.exists()


def test_no_change_and_the_text_of_another_sample_are_refused(base, ada):
    with pytest.raises(edits.EditError, match="Nothing is changed"):
        propose(base, ada, base.body.kernel_code.replace("\n", "\r\n"))
    twin = make_sample(base.task, reasoning=base.body.reasoning, kernel=FIXED)
    with pytest.raises(edits.EditError, match=str(twin.pk)):
        propose(base, ada)


def test_a_text_that_was_ingested_meanwhile_is_not_stored_twice(base, ada, ben):
    edit = propose(base, ada)
    conclude(edit)
    make_sample(base.task, reasoning=base.body.reasoning, kernel=FIXED)
    with pytest.raises(edits.EditError, match="exactly these texts"):
        edits.accept_edit(edit, ben, seen=1)


def test_authors_do_not_accept_their_own_edits_and_curators_may(base, ada):
    edit = propose(base, ada)
    conclude(edit)
    with pytest.raises(PermissionDenied, match="who did not write it"):
        edits.accept_edit(edit, ada, seen=1)
    edits.accept_edit(edit, acting(make_user("curator", "cora")), seen=1)


def test_a_base_is_superseded_once(base, ada, ben):
    first, second = propose(base, ada), propose(base, ben, FIXED.replace("relu", "abs"))
    conclude(first)
    conclude(second)
    revision = edits.accept_edit(first, ben, seen=1)
    with pytest.raises(edits.SupersededError, match=str(revision.pk)):
        edits.accept_edit(second, ada, seen=1)
    with pytest.raises(edits.SupersededError):
        propose(base, ada, FIXED.replace("relu", "tanh"))


def test_what_was_not_seen_is_not_accepted_or_overwritten(base, ada, ben):
    edit = propose(base, ada)
    change_edit(edit, ada, base.body.reasoning, FIXED.replace("relu", "abs"), seen=1)
    with pytest.raises(edits.EditChangedError, match="Version 2"):
        change_edit(edit, ada, base.body.reasoning, FIXED.replace("relu", "tanh"), seen=1)
    conclude(edit)
    with pytest.raises(edits.EditChangedError):
        edits.accept_edit(edit, ben, seen=1)


def test_a_withdrawn_edit_is_closed_for_everything(base, ada, ben):
    edit = propose(base, ada)
    with pytest.raises(PermissionDenied):
        edits.withdraw_edit(edit, ben)
    edits.withdraw_edit(edit, ada)
    for act in (
        lambda: edits.withdraw_edit(edit, ada),
        lambda: edits.accept_edit(edit, ben, seen=1),
        lambda: change_edit(edit, ada, "", FIXED.replace("relu", "abs"), seen=1),
    ):
        with pytest.raises(edits.EditClosedError, match="withdrawn"):
            act()


def test_a_repeated_key_stores_one_edit_and_versions_never_change(base, ada):
    key = uuid.uuid4()
    assert propose(base, ada, key=key) == propose(base, ada, key=key)
    with pytest.raises(review.KeyReusedError):
        propose(base, ada, FIXED.replace("relu", "abs"), key=key)
    with pytest.raises(AppendOnlyError):
        Edit.objects.get().versions.get().save()


def test_approvals_are_shown_with_what_still_applies_and_counted_nowhere(base, ada, ben):
    review.submit_review(base, ada, "accept", {"correctness": 4, "trace_quality": 5, "faithfulness": 3})
    review.submit_review(base, ben, "reject")
    edit = propose(base, ada)
    conclude(edit)
    revision = edits.accept_edit(edit, ben, seen=1)
    assert (revision.verdict, revision.reviews.count()) == ("", 0)
    (earlier,) = edits.history_of(revision.pk, ben)
    assert (earlier.accepted, earlier.votes, earlier.changed) == (1, 2, "kernel")
    still = {row.review.reviewer.username: row.still for row in earlier.reviews}
    assert still == {"ada": [("trace quality", 5)], "ben": []}


def test_the_adjudication_of_a_base_is_told_beside_the_votes_that_it_overruled(base, ada, ben):
    for person, verdict in ((ada, "accept"), (ben, "reject")):
        review.submit_review(base, person, verdict)
    decided = adjudicate(base, acting(make_user("curator", "cora")), "reject", "it races")
    edit = propose(base, ada)
    conclude(edit)
    revision = edits.accept_edit(edit, ben, seen=1)
    (earlier,) = edits.history_of(revision.pk, ben)
    assert (earlier.accepted, earlier.votes, earlier.adjudication) == (1, 2, decided)
    client = Client()
    client.force_login(ben.user)
    page = strip_tags(client.get(revision.get_absolute_url()).content.decode())
    assert "Accepted by 1 of 2 before this edit by ada; decided by an adjudication of cora:" in page


def test_blind_reviewers_do_not_learn_of_the_reviews_before_an_edit(base, ada, ben, settings):
    settings.REVIEW_BLIND = True
    review.submit_review(base, ada, "accept")
    edit = propose(base, ada)
    conclude(edit)
    revision = edits.accept_edit(edit, ben, seen=1)
    (earlier,) = edits.history_of(revision.pk, ben)
    assert (earlier.accepted, earlier.votes, earlier.reviews) == (0, 0, [])


def test_a_run_of_an_edit_is_no_evidence_of_its_base(base, ada):
    finished(base, "wrong_value", EPYC)
    edit = propose(base, ada)
    conclude(edit)
    refresh([base.pk])
    base.refresh_from_db()
    assert base.outcome == "wrong_value"
    assert base.verifications.count() == 1


def test_recipes_and_the_query_line_can_leave_out_superseded_samples(base, ada, ben):
    edit = propose(base, ada)
    conclude(edit)
    revision = edits.accept_edit(edit, ben, seen=1)
    assert list(parse_query("superseded:no").queryset()) == [revision]
    assert list(parse_query("superseded:yes").queryset()) == [base]
    recipe = {"version": 1, "seed": 1, "rules": [{"rule": "not_superseded"}]}
    selection = select(parse(recipe))
    assert [chosen.row.id for chosen in selection.chosen] == [str(revision.pk)]


def test_a_revision_of_a_honeypot_is_in_no_release_either(base, ada, ben):
    Honeypot.objects.create(sample=base, answer="cheat", family="late work", explanation="It answers late.")
    edit = propose(base, ada)
    conclude(edit)
    edits.accept_edit(edit, ben, seen=1)
    assert select(parse({"version": 1, "seed": 1, "rules": [{"rule": "has_trace"}]})).chosen == []
