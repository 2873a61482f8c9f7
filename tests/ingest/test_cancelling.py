"""Tests that an ingest can be cancelled at every stage, by its owner or an administrator, and read again."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

import datasets_app.ingest.run as ingest_run
from datasets_app.ingest import IncomingFile, IngestError, cancel_ingest, limits, run_ingest, start_ingests
from datasets_app.ingest.start import read_again
from datasets_app.models import ApiToken, AuditEntry, Ingest, Sample
from tests.conftest import signed_in
from tests.factories import acting, make_user
from tests.ingest.conftest import concur_row, ingest_file, write_lines

pytestmark = pytest.mark.django_db


def given_by(user, path, *more) -> Ingest:
    files = [IncomingFile(one, one.name, "concur") for one in (path, *more)]
    return start_ingests(files, acting(user), in_background=False)[0]


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def token_of(user, *scopes: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {ApiToken.issue(user, list(scopes))[1]}"})


@pytest.fixture
def person():
    return make_user("curator")


@pytest.fixture
def rows(tmp_path):
    return write_lines(tmp_path / "a.jsonl", [concur_row(n) for n in range(12)])


def test_one_that_waits_never_runs_and_what_waits_behind_it_goes_on(person, rows, tmp_path):
    ingest = given_by(person, rows, write_lines(tmp_path / "b.jsonl", [concur_row(99)]))
    page = client_of(person).post(f"{ingest.get_absolute_url()}cancel/", follow=True).content.decode()
    assert f"Cancelled by {person.username}." in page
    assert "Resume" in page
    assert run_ingest(ingest.pk) is None
    assert run_ingest(ingest.followers.get().pk).state == "done"
    assert Sample.objects.count() == 1


def test_one_that_runs_stops_at_its_next_portion_and_what_is_stored_stays_and_is_counted(
    person, rows, monkeypatch
):
    monkeypatch.setattr(limits, "BATCH_ROWS", 4)
    ingest = given_by(person, rows)
    calls = iter(range(9))

    def cancel_before_the_second_portion():
        if next(calls) == 1:
            assert client_of(person).post(f"/ingest/{ingest.pk}/cancel/").status_code == 302

    monkeypatch.setattr(ingest_run, "check_disk", cancel_before_the_second_portion)
    done = run_ingest(ingest.pk)
    assert (done.state, done.rows, done.new_samples, Sample.objects.count()) == ("cancelled", 4, 4, 4)
    page = client_of(person).get(ingest.get_absolute_url()).content.decode()
    assert "The 4 rows stored before that are kept." in page


def cancel_after_four_rows(ingest, person, monkeypatch):
    calls = iter([False, True])
    with monkeypatch.context() as patch:
        patch.setattr(limits, "BATCH_ROWS", 4)
        patch.setattr(
            ingest_run, "check_disk", lambda: cancel_ingest(ingest, acting(person)) if next(calls) else None
        )
        assert run_ingest(ingest.pk).rows == 4


def test_a_cancelled_one_is_read_again_from_where_it_stopped(person, rows, monkeypatch):
    ingest = given_by(person, rows)
    cancel_after_four_rows(ingest, person, monkeypatch)
    client_of(person).post(f"/ingest/{ingest.pk}/again/", {"format": "concur"})
    done = run_ingest(ingest.pk)
    assert (done.state, done.error, done.rows, done.new_samples) == ("done", "", 12, 12)


def test_the_columns_of_one_whose_rows_are_stored_in_part_keep_their_meaning(person, tmp_path, monkeypatch):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(n) for n in range(12)])
    mapping = {"pytorch_code": "pytorch_code", "kernel_code": "generated_code"}
    file = IncomingFile(path, path.name, "generic", mapping=mapping)
    [ingest] = start_ingests([file], acting(person), in_background=False)
    cancel_after_four_rows(ingest, person, monkeypatch)
    ingest.refresh_from_db()
    with pytest.raises(IngestError, match="with another mapping of its columns already; upload"):
        read_again(ingest, acting(person), "generic", {"pytorch_code": "pytorch_code"})
    read_again(ingest, acting(person), "generic", mapping)
    assert run_ingest(ingest.pk).new_samples == 12


def test_one_that_needs_a_choice_can_be_cancelled_and_looked_at_again(person):
    file = SimpleUploadedFile("a.jsonl", b'{"alpha": 1}\n')
    client = client_of(person)
    client.post("/ingest/", {"files": [file]})
    ingest = run_ingest(Ingest.objects.get().pk)
    assert ingest.needs_a_choice
    client.post(f"/ingest/{ingest.pk}/cancel/")
    client.post(f"/ingest/{ingest.pk}/again/", {"format": ""})
    assert run_ingest(ingest.pk).needs_a_choice


def test_cancelling_twice_changes_nothing_and_is_written_down_once(person, rows):
    ingest = given_by(person, rows)
    client = token_of(person, "read", "curate")
    answers = [client.post(f"/api/v1/ingests/{ingest.pk}/cancel/") for _ in range(2)]
    assert [(answer.status_code, answer.json()["state"]) for answer in answers] == [(200, "cancelled")] * 2
    assert AuditEntry.objects.filter(action="ingest.cancel", actor=person).count() == 1


def test_one_that_has_ended_says_so(person, rows):
    ingest = ingest_file(rows)
    answer = token_of(make_user("administrator"), "curate", "admin").post(
        f"/api/v1/ingests/{ingest.pk}/cancel/"
    )
    assert (answer.status_code, answer.json()["detail"]) == (409, "The ingest has ended already: it is done.")


def test_only_who_started_it_or_an_administrator_may(person, rows):
    ingest = given_by(person, rows)
    address = f"/ingest/{ingest.pk}/cancel/"
    assert client_of(make_user("curator")).post(address).status_code == 403
    assert signed_in("reader").post(address).status_code == 403
    assert client_of(person).get(address).status_code == 405
    assert token_of(person, "read").post(f"/api/v1/ingests/{ingest.pk}/cancel/").status_code == 403
    assert "/cancel/" not in client_of(make_user("curator")).get("/ingest/").content.decode()
    assert address in client_of(person).get("/ingest/").content.decode()
    assert Ingest.objects.get().state == "queued"
    curating = token_of(make_user("administrator"), "read", "curate")
    assert curating.post(f"/api/v1/ingests/{ingest.pk}/cancel/").status_code == 403, (
        "the token, not the role, counts"
    )
    signed_in("administrator").post(address)
    assert Ingest.objects.get().state == "cancelled"


def test_an_upload_above_the_limit_is_refused_before_it_is_stored(person, settings):
    settings.UPLOAD_BYTES = 1000
    file = SimpleUploadedFile("a.jsonl", json.dumps(concur_row(1)).encode() * 9)
    page = client_of(person).post("/ingest/", {"files": [file]})
    assert (page.status_code, b"CONCUR_UPLOAD_MB" in page.content) == (413, True)
    file.seek(0)
    answer = token_of(person, "curate").post("/api/v1/ingests/", {"file": file})
    assert (answer.status_code, "Nothing was stored" in answer.json()["detail"]) == (413, True)
    assert not Ingest.objects.exists()


def test_the_form_states_the_limits(person, settings):
    settings.INGEST_REFUSED_ROWS = 1234
    assert "the first 1,234 are kept" in client_of(person).get("/ingest/").content.decode()
