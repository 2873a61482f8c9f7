import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app.ingest import run_ingest
from datasets_app.ingest.uploads import safe_name
from datasets_app.models import Ingest, Source
from tests.factories import KERNEL, PROGRAM
from tests.ingest.conftest import concur_row, ingest_file, workbench_row, write_lines

pytestmark = pytest.mark.django_db


def upload(*rows: dict, name: str = "rows.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def post(client, *files, **fields):
    return client.post("/ingest/", {"files": list(files), **fields})


def test_a_curator_gives_a_file_with_its_provenance(curator):
    answer = post(
        curator, upload(workbench_row(1)), source="ours", url="https://example.org/x", licence="MIT"
    )
    ingest = Ingest.objects.get()
    assert answer.headers["Location"] == ingest.get_absolute_url()
    assert (ingest.source.name, ingest.source.licence, ingest.state) == ("ours", "MIT", "queued")
    assert len(ingest.sha256) == 64
    assert run_ingest(ingest.pk).new_samples == 1


def test_several_files_at_once_each_take_their_formats_source(curator):
    tasks = upload({"code": PROGRAM.format(number=1), "level": 1, "problem_id": 1}, name="tasks.jsonl")
    assert post(curator, upload(concur_row(1)), tasks).headers["Location"] == "/ingest/"
    for ingest in Ingest.objects.order_by("created_at"):
        run_ingest(ingest.pk)
    assert set(Source.objects.values_list("name", flat=True)) == {"ConCuR", "KernelBench"}


def test_a_reader_may_look_but_not_give(reader):
    assert reader.get("/ingest/").status_code == 200
    assert b"Upload files" not in reader.get("/ingest/").content
    assert post(reader, upload(concur_row(1))).status_code == 403


def test_an_empty_file_and_no_file_are_said_so(curator):
    assert b"The submitted file is empty" in post(curator, SimpleUploadedFile("a.jsonl", b"")).content
    assert b"Choose a file" in post(curator).content
    assert not Ingest.objects.exists()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\a\\b.jsonl", "b.jsonl"),
        ("...", "upload"),
        ("a\nb;c.csv", "a_b_c.csv"),
    ],
)
def test_a_file_name_keeps_no_path(name, safe):
    assert safe_name(name) == safe


def test_an_administrator_names_a_file_of_the_inbox_and_nothing_else(administrator, settings):
    write_lines(settings.INBOX_DIR / "run7.jsonl", [concur_row(1)])
    (settings.INBOX_DIR / "link").symlink_to("/etc")
    assert administrator.post("/ingest/", {"server_path": "run7.jsonl"}).status_code == 302
    for name in ("/etc/passwd", "../../../etc/passwd", "link/passwd", "."):
        answer = administrator.post("/ingest/", {"server_path": name})
        assert answer.status_code == 200, name
        assert b"Files in that folder can be read by name" in answer.content


def test_a_curator_cannot_name_a_file_of_the_server(curator, settings):
    write_lines(settings.INBOX_DIR / "run7.jsonl", [concur_row(1)])
    assert b"Choose a file" in curator.post("/ingest/", {"server_path": "run7.jsonl"}).content
    assert not Ingest.objects.exists()


def test_columns_that_nobody_knows_are_mapped_on_the_page(curator):
    rows = [{"ref": PROGRAM.format(number=n), "solution": KERNEL.format(number=n)} for n in range(2)]
    page = post(curator, upload(*rows)).headers["Location"]
    assert run_ingest(Ingest.objects.get().pk).needs_a_choice
    shown = curator.get(page).content.decode()
    assert "Map columns" in shown
    assert "<option selected>solution</option>" in shown
    curator.post(
        f"{page}again/", {"format": "generic", "map_pytorch_code": "ref", "map_kernel_code": "solution"}
    )
    assert run_ingest(Ingest.objects.get().pk).new_samples == 2


def test_a_mapping_without_a_program_leads_back_to_the_columns_as_they_were_chosen(curator):
    post(curator, upload({"ask": "a", "answer": "b", "why": "c"}))
    ingest = run_ingest(Ingest.objects.get().pk)
    chosen = {"format": "generic", "map_reasoning": "why", "map_task_name": "answer"}
    curator.post(f"{ingest.get_absolute_url()}again/", chosen)
    run_ingest(ingest.pk)
    page = curator.get(ingest.get_absolute_url()).content.decode()
    assert "No column is mapped to the PyTorch program" in page
    assert "Map columns" in page
    assert page.count("<option selected>why") == page.count("<option selected>answer") == 1
    assert "<option selected>ask" not in page


def test_a_table_uploaded_as_one_to_map_asks_what_its_columns_mean(curator):
    post(curator, upload({"ref src": PROGRAM, "Kernel": KERNEL, "model id": "q"}), format="generic")
    ingest = run_ingest(Ingest.objects.get().pk)
    assert (ingest.needs_a_choice, ingest.error[:19]) == (True, "No column is mapped")
    page = curator.get(ingest.get_absolute_url()).content.decode()
    assert [page.count(f"<option selected>{name}") for name in ("ref src", "Kernel", "model id")] == [1, 1, 1]


def test_kernels_without_a_program_are_mapped_on_the_page(curator):
    page = post(curator, upload({"solution": KERNEL.format(number=1)})).headers["Location"]
    run_ingest(Ingest.objects.get().pk)
    shown = curator.get(page).content.decode()
    assert " required" not in shown.partition("Map columns")[2].partition("</form>")[0]
    curator.post(f"{page}again/", {"format": "generic", "map_kernel_code": "solution"})
    assert run_ingest(Ingest.objects.get().pk).new_samples == 1


def test_the_page_of_a_file_that_no_format_knows_lists_each_format_with_its_columns_once(curator, reader):
    page = post(curator, upload({"question": 1, "answer": 2})).headers["Location"]
    assert "kernelbook (python_code, triton_code)" in run_ingest(Ingest.objects.get().pk).error
    for person in (curator, reader):
        shown = person.get(page).content.decode()
        assert "Columns seen in its first rows (jsonl): question, answer." in shown
        assert "kernelbook (python_code" not in shown
        assert "<code>python_code</code>, <code>triton_code</code>" in shown
    done = ingest_file_of(curator)
    assert "<code>triton_code</code>" not in curator.get(done).content.decode()


def ingest_file_of(client):
    page = post(client, upload(workbench_row(1), name="known.jsonl")).headers["Location"]
    run_ingest(Ingest.objects.get(file_name="known.jsonl").pk)
    return page


def test_refused_rows_are_shown_by_line_and_reason_a_page_at_a_time(reader, tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(0), *[b"{broken\n"] * 60]))
    first = reader.get(ingest.get_absolute_url()).content.decode()
    assert "Page 1 of 2" in first
    assert "The line is not JSON" in first
    second = reader.get(ingest.get_absolute_url() + "?page=2").content.decode()
    assert '<td class="num" data-label="line">61</td>' in second


def test_the_list_says_who_gave_a_file_and_marks_one_with_refused_rows(curator, tmp_path):
    post(curator, upload(workbench_row(1), workbench_row(2, kernel_code="print(1)")), source="ours")
    post(curator, upload(workbench_row(3), name="whole.jsonl"), source="ours")
    for ingest in Ingest.objects.all():
        run_ingest(ingest.pk)
    states = {one.file_name: one.shown_state for one in Ingest.objects.all()}
    assert states == {"rows.jsonl": "partly_refused", "whole.jsonl": "done"}
    page = curator.get("/ingest/").content.decode()
    assert page.count("partly refused") == 1
    assert page.count("by curator") == 2


def test_a_file_of_which_nothing_is_new_is_not_called_partly_refused(curator, tmp_path):
    ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(1)]))
    rows = [concur_row(1), *[concur_row(n, pytorch_code="x") for n in range(2, 5)]]
    ingest = ingest_file(write_lines(tmp_path / "b.jsonl", rows))
    assert (ingest.refused, ingest.added, ingest.shown_state) == (3, 0, "nothing_added")
    assert "refused, nothing new" in curator.get("/ingest/").content.decode()


def test_an_unreadable_file_is_dismissed_where_it_was_met(curator):
    post(curator, SimpleUploadedFile("odd.bin", bytes(range(256)) * 9))
    ingest = run_ingest(Ingest.objects.get().pk)
    home = curator.get("/").content.decode()
    assert "file that cannot be read" in home
    assert "Dismiss<span" in curator.get("/ingest/").content.decode()
    assert f'action="/ingest/{ingest.pk}/cancel/"' in home
    answer = curator.post(f"/ingest/{ingest.pk}/cancel/", {"next": "/"})
    assert answer.headers["Location"] == "/"
    assert "file that cannot be read" not in curator.get("/").content.decode()


def test_the_refused_rows_are_downloaded_as_a_file_to_mend(reader, tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(0), concur_row(1, pytorch_code="x")]))
    answer = reader.get(f"{ingest.get_absolute_url()}refused/")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a.refused.jsonl"'
    [row] = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert (row["_line"], row["_format"], row["pytorch_code"]) == (2, "concur", "x")


def test_what_waits_too_long_says_that_no_worker_runs(curator):
    post(curator, upload(workbench_row(1)))
    Ingest.objects.update(created_at="2020-01-01T00:00Z")
    assert b"No worker has started this ingest" in curator.get("/ingest/").content


def test_what_is_read_again_waits_from_then_on(curator):
    post(curator, upload({"ask": "a"}))
    ingest = run_ingest(Ingest.objects.get().pk)
    Ingest.objects.update(created_at="2020-01-01T00:00Z")
    curator.post(f"{ingest.get_absolute_url()}again/", {"format": "generic", "map_pytorch_code": "ask"})
    assert b"No worker has started this ingest" not in curator.get(ingest.get_absolute_url()).content
    Ingest.objects.update(lease_until="2020-01-01T00:00Z")
    assert b"No worker has started this ingest" in curator.get(ingest.get_absolute_url()).content


def test_an_htmx_request_gets_the_part_that_moves(curator):
    post(curator, upload(workbench_row(1)))
    ingest = Ingest.objects.get()
    part = curator.get("/ingest/", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="ingests"')
    assert 'hx-trigger="every' in part
    assert (
        "<html" not in curator.get(ingest.get_absolute_url(), headers={"HX-Request": "true"}).content.decode()
    )
    run_ingest(ingest.pk)
    ended = curator.get(ingest.get_absolute_url(), headers={"HX-Request": "true"})
    assert ended.headers["HX-Refresh"] == "true"
    assert 'hx-trigger="every' not in curator.get("/ingest/").content.decode()


@pytest.mark.parametrize("count", [1, 12])
def test_the_list_costs_a_fixed_number_of_queries_and_reads_no_body(
    count, administrator, tmp_path, django_assert_num_queries
):
    for number in range(count):
        ingest_file(write_lines(tmp_path / f"{number}.jsonl", [concur_row(number)]))
    administrator.get("/ingest/")
    with django_assert_num_queries(5) as queries:
        administrator.get("/ingest/")
    assert not any("body" in query["sql"] for query in queries.captured_queries)


def test_a_page_of_refused_rows_does_not_read_the_rows_themselves(
    reader, tmp_path, django_assert_num_queries
):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(0), *[b"{broken\n"] * 60]))
    reader.get("/ingest/")
    with django_assert_num_queries(5) as queries:
        reader.get(ingest.get_absolute_url())
    assert not any('"raw"' in query["sql"] for query in queries.captured_queries)


def test_a_broker_that_cannot_be_reached_costs_no_upload(curator, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = post(curator, upload(workbench_row(1)))  # no Redis runs at this test's address
    assert answer.status_code == 302
    assert Ingest.objects.get().state == "queued"
