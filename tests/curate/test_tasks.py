"""Tests that the messages that wake workers name existing tasks, which do the work of the row."""

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from datasets_app.accounts.actor import COMMAND, SITE
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.export import request
from datasets_app.jobs import enqueue
from datasets_app.maintenance import runs
from datasets_app.models import KernelFingerprint, MaintenanceKind, Release
from tests.curate.store import PASSED, passed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def worker(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    current_app.loader.import_default_modules()  # as a worker does when it starts


def run_message(name: str, *args: str) -> None:
    current_app.tasks[name].apply(args=args, throw=True)


def test_a_queued_release_is_frozen_and_its_files_are_written_by_messages_alone():
    passed()
    release = freeze.create(COMMAND, name="first", definition=parse(PASSED), recipe_name="test")
    run_message(freeze.TASK, str(release.pk))
    while waiting := list(release.exports.filter(state="queued")):  # the last file of rows queues the archive
        for export in waiting:
            run_message(request.TASK, str(export.pk))
    release = Release.objects.get()
    assert release.state == "done"
    assert {export.state for export in release.exports.all()} == {"done"}
    assert release.exports.filter(path="README.md").exists()


def test_the_index_of_similar_kernels_is_made_by_message():
    passed()
    run_message(runs.TASK, str(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk))
    assert KernelFingerprint.objects.get().cluster


def test_a_broker_that_does_not_answer_costs_one_try(monkeypatch, caplog):
    tries = []

    def refuse(*args, **options):
        tries.append(args)
        raise OperationalError("no one there")

    monkeypatch.setattr(current_app, "send_task", refuse)
    enqueue.send(freeze.TASK, 1)
    enqueue.send(freeze.TASK, 2)
    assert len(tries) == 1
    assert "stays queued" in caplog.text
