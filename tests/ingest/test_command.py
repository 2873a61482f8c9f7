import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

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
