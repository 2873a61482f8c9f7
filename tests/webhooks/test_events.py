"""Tests of what webhooks are told: each fact once, with the transaction that stores it, to those that listen."""

import json

import pytest
from django.db import transaction

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.export.write import run_export
from datasets_app.jobs import enqueue
from datasets_app.models import JobState, Release, WebhookDelivery
from datasets_app.webhooks import verbs
from datasets_app.webhooks.events import TASK, record_release
from tests.curate.store import PASSED, frozen, small_store
from tests.export.reading import folder
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/concur"
ALL = ["release.frozen", "release.published", "release.yanked", "export.finished", "export.failed"]


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"


def store():
    small_store()
    frozen("first")


@pytest.fixture(scope="module", autouse=True)
def rows(request):
    with shared_rows(request, store):
        yield


@pytest.fixture
def release(db):
    return Release.objects.get(name="first")


def listen(*events):
    return verbs.create(URL, events or ALL, actor=COMMAND)[0]


def told():
    """Return what was recorded, oldest first."""
    return [
        json.loads(body)
        for body in WebhookDelivery.objects.order_by("created_at").values_list("body", flat=True)
    ]


def test_a_frozen_release_is_told_with_its_facts():
    listen()
    release = frozen("second")
    [facts] = told()
    assert facts["event"] == "release.frozen"
    assert facts["release"]["rows"] == release.row_count == 20
    assert facts["release"]["splits"] == {"train": 12, "validation": 4, "test": 4}
    assert facts["release"]["content_sha256"] == release.content_sha256
    assert facts["release"]["frozen_at"] == release.finished_at.isoformat(timespec="seconds")
    assert facts["release"]["page"] == "/releases/second/"
    assert facts["release"]["api"] == "/api/v1/releases/second/"


def test_the_paths_lead_to_the_release_and_the_file(release, curator):
    listen("export.finished")
    finish_files(release)
    for facts in told():
        for path in (facts["release"]["page"], facts["release"]["api"], facts["file"]["download"]):
            assert curator.get(path).status_code == 200, path


def test_a_freeze_that_fails_tells_nothing():
    listen()
    definition = parse(PASSED | {"rules": [{"rule": "language", "languages": ["triton"]}]})
    release = freeze.create(COMMAND, name="empty", definition=definition, recipe_name="test")
    freeze.run_freeze(release.pk)
    release.refresh_from_db()
    assert (release.state, told()) == (JobState.FAILED, [])


def test_each_file_is_told_when_it_is_written(release):
    listen()
    finish_files(release)
    files = {file.path: file for file in release.exports.exclude(format="card")}
    facts = {one["file"]["path"]: one for one in told()}
    assert facts.keys() == files.keys()
    for path, one in facts.items():
        assert one["event"] == "export.finished"
        assert (one["file"]["sha256"], one["file"]["size_bytes"]) == (
            files[path].sha256,
            files[path].size_bytes,
        )
        assert one["file"]["records"] == files[path].records
        assert one["file"]["error"] == ""


def test_a_file_that_cannot_be_written_is_told_with_the_reason(release):
    listen()
    file = release.exports.filter(state=JobState.QUEUED).first()
    folder(release).parent.mkdir(parents=True)
    folder(release).write_text("where the folder should be")
    run_export_quietly(file)
    [facts] = told()
    file.refresh_from_db()
    assert (facts["event"], file.state) == ("export.failed", JobState.FAILED)
    assert facts["file"]["error"] == file.error != ""


def run_export_quietly(file):
    """Run the job of a file whose folder cannot be made, nor the card beside it later."""
    try:
        run_export(file.pk)
    except OSError:
        return


def test_a_release_is_told_as_public_once(release):
    listen()
    for visibility in ("private", "public", "public", "token"):
        publication.set_visibility(release, visibility, actor=COMMAND)
    assert [(one["event"], one["release"]["visibility"]) for one in told()] == [
        ("release.published", "public")
    ]


def test_one_that_was_made_public_before_its_freeze_ends_is_told_then():
    listen()
    release = freeze.create(COMMAND, name="second", definition=parse(PASSED), recipe_name="test")
    publication.set_visibility(release, "public", actor=COMMAND)
    assert not told()
    freeze.run_freeze(release.pk)
    assert [one["event"] for one in told()] == ["release.frozen", "release.published"]


def test_a_yank_is_told_with_its_reason(release):
    listen()
    publication.yank(release, "the test split leaks", actor=COMMAND)
    [facts] = told()
    assert (facts["event"], facts["release"]["yank_reason"]) == ("release.yanked", "the test split leaks")


def test_each_webhook_gets_its_own_delivery_of_what_it_listens_to(release):
    yanks, everything, off = listen("release.yanked"), listen(), listen()
    listen("export.failed")
    verbs.switch_off(off, actor=COMMAND)
    publication.yank(release, "a leak", actor=COMMAND)
    rows = WebhookDelivery.objects.all()
    assert {row.webhook_id for row in rows} == {yanks.pk, everything.pk}
    assert len({row.pk for row in rows}) == len({row.body for row in rows}) == 2


def test_a_fact_that_is_rolled_back_tells_nothing(release):
    listen()
    with transaction.atomic():
        record_release("release.yanked", release)
        assert told()
        transaction.set_rollback(True)
    assert not told()


def test_the_message_is_sent_after_the_commit(release, monkeypatch, django_capture_on_commit_callbacks):
    listen()
    sent = []
    monkeypatch.setattr(enqueue, "send", lambda task, pk: sent.append((task, pk)))
    with django_capture_on_commit_callbacks(execute=True):
        publication.yank(release, "a leak", actor=COMMAND)
        assert not sent
    assert sent == [(TASK, WebhookDelivery.objects.get().pk)]


def test_where_nobody_listens_a_fact_costs_one_query(release, django_assert_num_queries):
    listen("export.failed")
    with django_assert_num_queries(1):
        record_release("release.yanked", release)
