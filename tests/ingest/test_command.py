import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from datasets_app.models import Ingest
from tests.ingest.conftest import concur_row, write_lines

pytestmark = pytest.mark.django_db


def last_line(*arguments: str) -> dict:
    out = StringIO()
    call_command("ingest", *arguments, stdout=out)
    return json.loads(out.getvalue().splitlines()[-1])


def test_the_last_line_is_the_counts_as_json(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1), concur_row(2)])
    assert last_line(str(path), "--wait") == {
        "rows": 2,
        "tasks": 2,
        "samples": 2,
        "restored": 0,
        "duplicates": 0,
        "refused": 0,
        "refused_file": None,
    }
    assert last_line(str(path), "--wait")["duplicates"] == 2


def test_the_refused_file_lies_where_the_command_says(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1), b"broken\n"])
    counts = last_line(str(path), "--source", "ours", "--licence", "MIT")
    assert counts["refused"] == 1
    [line] = Path(counts["refused_file"]).read_text().splitlines()
    assert json.loads(line)["_raw"] == "broken"


def test_the_first_refused_rows_are_printed_with_their_reasons(tmp_path):
    out = StringIO()
    bad = [concur_row(n, pytorch_code="x = 1") for n in range(2, 9)]
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, note="\x1b[2J"), *bad])
    call_command("ingest", str(path), stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[1] == "  Columns not used, only kept with their rows: note."
    assert lines[2] == "  line 2 refused: pytorch_code defines no class Model, so it is no task (x = 1)"
    assert lines[7] == "  and 2 more; all of them are in the file of refused rows"
    assert len(lines) == 9


def test_a_file_of_which_nothing_was_stored_is_an_error(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, pytorch_code="x = 1")])
    with pytest.raises(CommandError, match="Nothing was stored: every row was refused"):
        last_line(str(path))
    path = write_lines(tmp_path / "b.jsonl", [concur_row(1), concur_row(2, pytorch_code="x = 1")])
    assert last_line(str(path))["refused"] == 1
    assert last_line(str(path))["duplicates"] == 1


def test_several_files_are_counted_together(tmp_path):
    one = write_lines(tmp_path / "1.jsonl", [concur_row(1)])
    two = write_lines(tmp_path / "2.jsonl", [concur_row(2), concur_row(1)])
    counts = last_line(str(one), str(two))
    assert (counts["rows"], counts["samples"], counts["duplicates"]) == (3, 2, 1)


def test_a_file_that_cannot_be_read_is_an_error_with_the_reason(tmp_path):
    with pytest.raises(CommandError, match="There is no file"):
        last_line(str(tmp_path / "none.jsonl"))
    with pytest.raises(CommandError, match="Columns seen"):
        last_line(str(write_lines(tmp_path / "a.jsonl", [{"alpha": 1}])))


def test_columns_can_be_mapped_in_the_shell(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"ref": concur_row(1)["pytorch_code"]}])
    assert last_line(str(path), "--map", "pytorch_code=ref")["tasks"] == 1


def test_a_corrected_file_of_a_mapped_table_is_read_with_its_mapping(tmp_path):
    good = concur_row(1)
    rows = [{"ref": good["pytorch_code"], "solution": text} for text in ("x = 1", good["generated_code"])]
    path = write_lines(tmp_path / "a.jsonl", rows)
    refused = last_line(str(path), "--map", "pytorch_code=ref", "--map", "kernel_code=solution")[
        "refused_file"
    ]
    corrected = json.loads(Path(refused).read_text())
    corrected["solution"] = good["generated_code"] + "# corrected\n"
    counts = last_line(str(write_lines(tmp_path / "b.jsonl", [corrected])))
    assert (counts["rows"], counts["refused"], counts["samples"]) == (1, 0, 1)
    assert Ingest.objects.latest("created_at").mapping == {"pytorch_code": "ref", "kernel_code": "solution"}


def test_a_mapping_to_a_column_that_the_table_lacks_is_refused_before_any_row(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("ref,solution\nimport torch,import torch\n")
    with pytest.raises(CommandError, match=r"The file has no column notes\. Its columns: ref, solution\."):
        call_command("ingest", str(path), "--map", "pytorch_code=ref", "--map", "reasoning=notes")
    assert Ingest.objects.get().rows == 0
