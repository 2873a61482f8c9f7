"""Tests of the admin: all models, cheap lists, read-only logs, and every change logged."""

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from datasets_app import review
from datasets_app.accounts import audit, invitations
from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import saved_views, tags
from datasets_app.models import (
    ApiToken,
    Assignment,
    AuditEntry,
    Baseline,
    BulkAction,
    CodeShape,
    Export,
    Finding,
    Honeypot,
    Ingest,
    IngestUndo,
    LoginFailure,
    MachineCode,
    MaintenanceRun,
    Operator,
    QueueItem,
    Recipe,
    RefusedRow,
    Release,
    ReleaseRow,
    Review,
    ReviewClaim,
    ReviewDraft,
    ReviewQueue,
    ReviewSkip,
    Sample,
    SampleWithdrawal,
    SecondFactor,
    Source,
    SuggestionAnswer,
    TableExport,
    Task,
    VerificationReport,
)
from datasets_app.review import notes, suggestions
from datasets_app.review.edits import store_edit
from datasets_app.review.notes import Place
from datasets_app.review.preferences import submit_preference, withdraw_preference
from datasets_app.webhooks import verbs as webhooks
from tests.factories import acting, make_sample, make_source, make_user
from tests.site.matrix_makers import make_synthesis
from tests.verifications import AT, environment, timed

pytestmark = pytest.mark.django_db


def add_rows(number):
    """Add one row of every model, with its own related rows."""
    sample, person = make_sample(), make_user("annotator", f"person-{number}")
    Operator.objects.create(name=f"op-{number}")
    ingest = Ingest.objects.create(
        file_name=f"{number}.jsonl", path="x", source=make_source(f"s-{number}"), created_by=person
    )
    RefusedRow.objects.create(ingest=ingest, line=number, reason="no program")
    IngestUndo.objects.create(ingest=ingest, reason="wrong file", created_by=person)
    recipe = Recipe.objects.create(name=f"recipe-{number}", definition={}, created_by=person)
    release = Release.objects.create(
        name=f"release-{number}", recipe=recipe, recipe_name=recipe.name, definition={}, created_by=person
    )
    run = timed(sample, 2.0, f"device-{number}", environment=environment(f"key-{number}"))
    VerificationReport.objects.create(verification=run, report={})
    MachineCode.objects.create(verification=run, kind="sass", text="x", line_count=1)
    Finding.objects.create(verification=run, code="x", severity="label")
    Baseline.objects.create(task=sample.task, device="x", mode="eager", median_ms=1, measured_at=AT)
    ReleaseRow.objects.create(
        release=release, position=1, sample=sample, split="train", verification=run, snapshot={}
    )
    Export.objects.create(release=release, format="jsonl", path="train.jsonl", split="train")
    add_reviewing(sample, person, number)
    SecondFactor.objects.get_or_create(user=person, defaults={"secret": "A" * 32})
    review.claim(sample, acting(person))
    ApiToken.issue(person, ["read"])
    invitations.invite("reader", f"for {number}", actor=COMMAND)
    CodeShape.objects.create(sha256=f"{number:064}", shingle_count=1, shingles=b"", signature=b"")
    MaintenanceRun.objects.create(kind="tokens", created_by=person)
    TableExport.objects.create(table="tasks", format="csv", created_by=person)
    LoginFailure.objects.create(name="x", address="10.0.0.1")
    tags.put_on(acting(person), sample, tags.make(acting(person), f"tag-{number}"))
    Assignment.objects.create(sample=sample, reviewer=person)
    saved_views.set_default(acting(person), saved_views.save(acting(person), "mine", "outcome=passed"))
    BulkAction.objects.create(action="tag", actor=person).changes.create(sample=sample)
    webhook, _ = webhooks.create(f"https://hooks.example.org/{number}", ["release.frozen"], actor=COMMAND)
    webhooks.send_test(webhook, actor=COMMAND)
    make_synthesis(f"synthesis-{number}")


def add_reviewing(sample, person, number):
    given = review.submit_review(sample, acting(person), "accept")
    review.withdraw_review(given, acting(person), "misread")
    review.save_draft(sample, acting(person), {"comment": "more"})
    note = notes.create_note(sample, acting(person), [Place("kernel", 0, 5)], "race", "here")
    base = Sample.objects.with_body().get(pk=sample.pk)
    store_edit(base, acting(person), "", "class ModelNew:\n    pass\n", "simpler")
    notes.answer_note(note, acting(person), "and there")
    row = {"sample": str(sample.pk), "verdict": "fix", "words": "no mask"}
    (posted,) = suggestions.post_suggestions(acting(person), "critic", "1", [row])
    SuggestionAnswer.objects.create(suggestion=posted.suggestion, reviewer=person)
    preference = submit_preference(sample, make_sample(sample.task), acting(person), "left")
    withdraw_preference(preference, acting(person), "misread")
    SampleWithdrawal.objects.create(sample=preference.left, reason="misread", withdrawn_by=person)
    queue = ReviewQueue.objects.create(name=f"queue-{number}", created_by=person)
    QueueItem.objects.create(queue=queue, sample=sample, position=1, is_open=False)
    Honeypot.objects.create(sample=sample, answer="cheat", family="attack on the judge", explanation="")
    ReviewSkip.objects.create(sample=sample, reviewer=person, queue=queue, reason="unsure")


def models_in_admin():
    return [model for model in admin.site._registry if model._meta.app_label in ("datasets_app", "auth")]


def inlined():
    return {inline.model for one in admin.site._registry.values() for inline in one.inlines}


def list_url(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def test_every_model_is_in_the_admin():
    own = set(apps.get_app_config("datasets_app").get_models())
    assert not {model.__name__ for model in own - set(models_in_admin()) - inlined()}


def statements_of_lists(client) -> dict[str, list[str]]:
    """Return the statements that each model's list takes, by the model's name."""
    found = {}
    for model in models_in_admin():
        with CaptureQueriesContext(connection) as queries:
            assert client.get(list_url(model)).status_code == 200, model
        found[model.__name__] = [query["sql"] for query in queries]
    return found


def test_the_lists_cost_the_same_however_many_rows_and_read_no_texts(administrator):
    add_rows(1)
    ContentType.objects.get_for_models(*apps.get_models())  # what is read once and kept
    few = statements_of_lists(administrator)
    for number in range(2, 6):
        add_rows(number)
    many = statements_of_lists(administrator)
    assert {name: len(one) for name, one in many.items()} == {name: len(one) for name, one in few.items()}
    texts = re.compile(r"datasets_app_(sample|task)body")
    assert not [name for name, one in many.items() if any(map(texts.search, one))]


def test_every_list_can_be_searched_and_a_row_of_it_opened(administrator):
    add_rows(1)
    for model in models_in_admin():
        row = model._default_manager.first()
        if admin.site._registry[model].search_fields:
            assert administrator.get(list_url(model), {"q": "x 1"}).status_code == 200, model
        opened = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[row.pk])
        assert administrator.get(opened).status_code == 200, model


APPEND_ONLY = [Review, AuditEntry, ReleaseRow, Release, Export, Ingest, RefusedRow, ReviewDraft, Operator]


@pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda model: model.__name__)
def test_a_log_is_neither_added_to_nor_changed_nor_deleted(model, administrator):
    add_rows(1)
    row = model._default_manager.first()
    before = model._default_manager.values().get(pk=row.pk)
    name = f"admin:datasets_app_{model._meta.model_name}"
    assert administrator.get(reverse(f"{name}_add")).status_code == 403
    assert administrator.post(reverse(f"{name}_change", args=[row.pk]), {"state": "x"}).status_code == 403
    assert administrator.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    administrator.post(
        list_url(model), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    )
    assert model._default_manager.values().get(pk=row.pk) == before


def test_the_log_filters_by_action(administrator):
    sample = make_sample()
    audit.record(COMMAND, "one.thing", sample)
    audit.record(COMMAND, "other.thing", sample)
    text = administrator.get(list_url(AuditEntry), {"action": "one.thing"}).content.decode()
    results = text[text.index("result_list") :]
    assert "one.thing" in results
    assert "other.thing" not in results.split("changelist-filter")[0]


def test_a_change_made_here_is_in_the_log(administrator):
    source = make_source("house")
    administrator.post(
        reverse("admin:datasets_app_source_change", args=[source.pk]),
        {"name": "house", "licence": "Apache-2.0"},
    )
    source.refresh_from_db()
    assert source.licence == "Apache-2.0"
    entry = AuditEntry.objects.get(action="admin.change")
    assert (entry.target_id, entry.detail["changes"]) == (
        str(source.pk),
        [{"changed": {"fields": ["Licence"]}}],
    )


def test_texts_are_shown_escaped_and_cannot_be_edited(administrator):
    sample = make_sample(reasoning="<script>alert(1)</script>")
    text = administrator.get(reverse("admin:datasets_app_sample_change", args=[sample.pk])).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert 'name="body-0-kernel_code"' not in text


def test_evidence_and_verdict_cannot_be_written_by_hand(administrator):
    sample = make_sample()
    form = {"generator": "mended", "source": sample.source_id, "outcome": "passed", "verdict": "accept"}
    management = {f"{one}-{n}_FORMS": "0" for one in ("body", "fingerprint") for n in ("TOTAL", "INITIAL")}
    administrator.post(reverse("admin:datasets_app_sample_change", args=[sample.pk]), {**form, **management})
    sample.refresh_from_db()
    assert (sample.generator, sample.outcome, sample.verdict) == ("mended", "", "")


@pytest.mark.parametrize("page", ["delete", "list"])
def test_deleting_a_protected_sample_names_what_protects_it(administrator, page):
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    url = reverse("admin:datasets_app_sample_delete", args=[sample.pk])
    fields = {}
    if page == "list":
        url, fields = list_url(Sample), {"action": "delete_selected", "_selected_action": [sample.pk]}
    text = administrator.post(url, {**fields, "post": "yes"}).content.decode()
    assert "would require deleting the following protected related objects" in text
    assert "permission" not in text
    assert Sample.objects.filter(pk=sample.pk).exists()


def test_a_sample_nobody_judged_can_be_deleted_with_its_texts(administrator):
    sample = make_sample()
    administrator.post(reverse("admin:datasets_app_sample_delete", args=[sample.pk]), {"post": "yes"})
    assert not Sample.objects.exists()
    assert AuditEntry.objects.filter(action="admin.delete", target_id=str(sample.pk)).exists()


def test_a_judged_sample_stays(administrator):
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator")), "reject")
    administrator.post(reverse("admin:datasets_app_sample_delete", args=[sample.pk]), {"post": "yes"})
    assert Sample.objects.exists()


def test_a_token_is_shown_without_its_hash(administrator):
    token, _ = ApiToken.issue(make_user("reader"), ["read"])
    text = administrator.get(reverse("admin:datasets_app_apitoken_change", args=[token.pk])).content.decode()
    assert token.sha256 not in text


def test_an_administrator_makes_an_account_with_a_role(administrator):
    sent = {
        "username": "nina",
        "usable_password": "true",
        "password1": "a-long-one-1",
        "password2": "a-long-one-1",
    }
    group = Group.objects.get(name="annotator")
    administrator.post(reverse("admin:auth_user_add"), {**sent, "groups": [group.pk]})
    assert User.objects.get(username="nina").groups.get() == group
    assert AuditEntry.objects.filter(action="admin.add", detail__name="nina").exists()


def test_a_forgotten_claim_is_taken_back(administrator):
    sample = make_sample()
    claim = review.claim(sample, acting(make_user("annotator")))
    administrator.post(reverse("admin:datasets_app_reviewclaim_delete", args=[claim.pk]), {"post": "yes"})
    assert not ReviewClaim.objects.exists()


def test_the_admin_has_no_script_and_no_style_in_its_pages(administrator):
    add_rows(1)
    for model in (Sample, Task, Source, Review):
        text = administrator.get(list_url(model)).content.decode()
        assert not re.search(
            r"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>|<style|\son\w+=|\sstyle=", text
        )
