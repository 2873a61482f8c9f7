"""Tests that any upload is answered quickly, and its ingest ends with a message and within its budget."""

import time

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from datasets_app.ingest import budget, run_ingest
from datasets_app.models import ApiToken, Ingest
from datasets_app.processes.limits import limited_memory
from tests.factories import make_user
from tests.hostile import archived_files, columnar_files  # noqa: F401  (add their files to FILES)
from tests.hostile.files import FILES, NAMES

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.usefixtures("no_collection")]
KEPT, IN_A_ROW = 50, 200
ENDED = ("done", "failed")


@pytest.fixture(autouse=True)
def small_budgets(settings, tmp_path, monkeypatch):
    """Lower the budgets of a real site, so that smaller files exceed them."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.INGEST_REFUSED_ROWS, settings.INGEST_REFUSED_IN_A_ROW = KEPT, IN_A_ROW
    settings.INGEST_REFUSED_BYTES = 2**20
    monkeypatch.setattr(budget, "SMALL_BYTES", 4 * 2**20)


@pytest.fixture(autouse=True)
def loaded():
    """Load all views, as a site does before its first request: that is no cost of the first file."""
    reverse("home")


def upload(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, FILES[name](False))


def by_page(client: Client, file: SimpleUploadedFile, **fields: str) -> int:
    return client.post("/ingest/", {"files": [file], **fields}).status_code


def read_within_memory(ingest: Ingest) -> Ingest:
    with limited_memory(384 * 2**20):
        run_ingest(ingest.pk)
    ingest.refresh_from_db()
    return ingest


def check_end(ingest: Ingest) -> None:
    """Check for a final state, a message if it failed, and no more stored rows than its budget allows."""
    assert ingest.state in ENDED
    assert ingest.error.endswith(".") if ingest.state == "failed" else not ingest.error
    assert "fault of ours" not in ingest.error
    assert ingest.refused_rows.count() == ingest.refused_kept <= KEPT
    assert ingest.refused_bytes <= 2**20
    assert ingest.refused <= IN_A_ROW + 400, "it stops soon where nothing can be read"


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_costs_the_request_nothing_and_its_ingest_ends(name, curator):
    file = upload(name)
    begin = time.process_time()  # of this process: other load on the machine must not fail the test
    assert by_page(curator, file) == 302
    assert time.process_time() - begin < 2
    check_end(read_within_memory(Ingest.objects.get()))
    assert curator.get(Ingest.objects.get().get_absolute_url()).status_code == 200


@pytest.mark.parametrize("name", FILES)
def test_it_ends_as_well_where_a_person_named_the_format(name):
    _, token = ApiToken.issue(make_user("curator"), ["read", "curate"])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    fields = {
        "format": "generic",
        "mapping": '{"pytorch_code": "pytorch_code", "kernel_code": "kernel_code"}',
    }
    begin = time.process_time()
    answer = client.post("/api/v1/ingests/", {"file": upload(name), **fields})
    assert answer.status_code == 202
    assert time.process_time() - begin < 2
    ingest = read_within_memory(Ingest.objects.get())
    check_end(ingest)
    shown = client.get(f"/api/v1/ingests/{ingest.pk}/").json()
    assert (shown["state"], shown["refused_kept"]) == (ingest.state, ingest.refused_kept)


READ_AS = {
    "tar_claiming_a_large_member.tar": ("kernelbench-runs", "claims to be larger than the file"),
    "zip_that_names_one_member_often.zip": ("kernelbench-folders", "decode to more than"),
    "settings_nested_deep.zip": ("kernelbench-runs", "is not YAML"),
}


@pytest.mark.parametrize("name", READ_AS)
def test_an_archive_that_is_read_as_what_it_says_ends_with_what_is_wrong(name, curator):
    format_name, sentence = READ_AS[name]
    by_page(curator, upload(name), format=format_name)
    ingest = read_within_memory(Ingest.objects.get())
    check_end(ingest)
    assert sentence in ingest.error


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_is_stored_as_a_plain_one(name, curator, settings):
    assert by_page(curator, SimpleUploadedFile(name, b'{"a": 1}\n')) in (200, 302)
    for ingest in Ingest.objects.all():
        assert len(ingest.file_name) <= 150
        assert not set(ingest.file_name) & set("/\\\x1b\u202e;'")
        assert ingest.path.startswith(f"{settings.UPLOAD_DIR}/")


def test_an_unclosed_quote_is_named_by_its_line(curator, monkeypatch):
    monkeypatch.setattr("datasets_app.ingest.limits.MAX_RECORD_BYTES", 2**20)
    by_page(curator, upload("unclosed_quote.csv"), format="workbench")
    ingest = read_within_memory(Ingest.objects.get())
    assert "a quote that is opened in line 2 is not closed" in ingest.error


def test_a_file_of_which_nothing_can_be_read_is_given_up_with_the_first_reason(curator):
    by_page(curator, upload("rows_of_another_width.csv"), format="workbench")
    ingest = read_within_memory(Ingest.objects.get())
    assert ingest.error.startswith("Nothing could be read: 200 rows in a row were refused, from line 2 on")
    assert (ingest.refused, ingest.refused_kept) == (IN_A_ROW, KEPT)
    page = curator.get(ingest.get_absolute_url()).content.decode()
    assert f"the first {KEPT} are kept, the others only counted" in page
    download = b"".join(curator.get(f"{ingest.get_absolute_url()}refused/").streaming_content)
    assert len(download.splitlines()) == KEPT


def test_a_bomb_is_stopped_by_what_comes_out_of_it(curator):
    by_page(curator, upload("one_line_packed.jsonl.gz"), format="workbench")
    assert "decode to more than" in read_within_memory(Ingest.objects.get()).error


def test_a_disk_that_is_nearly_full_stops_an_ingest_in_time(curator, settings):
    by_page(curator, SimpleUploadedFile("a.jsonl", b"{}\n"), format="workbench")
    settings.FREE_DISK_BYTES = 2**60
    ingest = read_within_memory(Ingest.objects.get())
    assert "kept free (CONCUR_FREE_DISK_MB). Make room, then read the file again" in ingest.error
    assert b"kept free" in curator.post("/ingest/", {"files": [SimpleUploadedFile("b.jsonl", b"{}")]}).content
    assert Ingest.objects.count() == 1
