"""Tests that a refused row is kept with line, field, reason and text, and the rest of the file goes in."""

import json

import pytest

from datasets_app.ingest import Refusal, limits
from datasets_app.ingest.refusal_store import refused_file
from datasets_app.ingest.text_tables import parsed
from datasets_app.models import Sample
from tests.factories import KERNEL
from tests.ingest.conftest import concur_row, ingest_file, items_of, workbench_row, write_lines

pytestmark = pytest.mark.usefixtures("no_collection")

BAD = {
    "a missing program": ({"pytorch_code": ""}, "pytorch_code", "is empty"),
    "a missing kernel": ({"generated_code": None}, "generated_code", "is empty"),
    "a program of the wrong type": ({"pytorch_code": 17}, "pytorch_code", "should be text, not a number"),
    "a trace of the wrong type": (
        {"generated_think": ["a"]},
        "generated_think",
        "should be text, not a list",
    ),
    "an over-long trace": (
        {"generated_think": "x" * (limits.MAX_TEXT_BYTES + 1)},
        "generated_think",
        "the limit is",
    ),
    "a NUL character": ({"generated_think": "a\x00b"}, "generated_think", "NUL"),
    "half a surrogate pair": ({"generated_think": "\ud800"}, "generated_think", "not valid Unicode"),
    "a NUL in a further column": ({"note": {"a": ["\x00"]}}, "note", "NUL"),
    "a program that does not parse": ({"pytorch_code": "class Model(:"}, "pytorch_code", "does not parse"),
    "a program without a Model": ({"pytorch_code": "x = 1"}, "pytorch_code", "no class Model"),
    "a kernel without a ModelNew": ({"generated_code": "x = 1"}, "generated_code", "no class ModelNew"),
    "a kernel that is a bare .cu": (
        {"generated_code": "__global__ void f() {}"},
        "generated_code",
        "no class ModelNew",
    ),
}


# Of columns that only describe a row.
LEFT_OUT = {
    "a speedup that is NaN": ({"speedup_over_eager": float("nan")}, "speedup_over_eager", "no measurement"),
    "a speedup that is a word": ({"speedup_over_eager": "fast"}, "speedup_over_eager", "is not a number"),
    "a speedup below zero": ({"speedup_over_eager": -1}, "speedup_over_eager", "not above zero"),
    "a name that reorders a page": ({"problem_name": "relu\u202e"}, "problem_name", "U+202E"),
    "a name that drives a terminal": ({"problem_name": "\x1b[2Jrelu"}, "problem_name", "U+001B"),
    "a name that is too long": ({"problem_name": "n" * 201}, "problem_name", "the limit is 200"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_row_is_refused_for(name, tmp_path):
    changes, field, reason = BAD[name]
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1), concur_row(2, **changes), concur_row(3)])
    good, bad, after = items_of(path, "concur")
    assert isinstance(bad, Refusal)
    assert (bad.line, bad.field) == (2, field)
    assert reason in bad.reason
    assert not isinstance(good, Refusal)
    assert not isinstance(after, Refusal)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_row_goes_in_without(name, tmp_path):
    changes, field, reason = LEFT_OUT[name]
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1), concur_row(2, **changes), concur_row(3)])
    [_, row, after] = items_of(path, "concur")
    [left_out] = row.left_out
    assert (left_out.line, left_out.column) == (2, field)
    assert reason in left_out.reason
    assert row.sample.reasoning
    assert after.left_out == ()


@pytest.mark.django_db
def test_values_that_were_left_out_are_counted_by_column_with_the_first_one(tmp_path):
    faulty = {"claimed_speedup": "fast", "level": "two"}
    rows = [workbench_row(1), workbench_row(2, **faulty), workbench_row(3, claimed_speedup="slow")]
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", rows))
    assert (ingest.new_samples, ingest.refused) == (3, 0)
    assert ingest.column_notes == [
        "claimed_speedup was left out of 2 rows: it is not a number (fast), first in line 2.",
        "level was left out of 1 row: it is not a number (two), line 2.",
    ]
    assert set(Sample.objects.values_list("claimed_speedup", flat=True)) == {None}


@pytest.mark.django_db
def test_a_mapped_column_with_a_faulty_value_is_left_out_by_its_own_name(tmp_path):
    row = workbench_row(1, fast="very")
    mapping = {"pytorch_code": "pytorch_code", "kernel_code": "kernel_code", "claimed_speedup": "fast"}
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [row]), "generic", mapping=mapping)
    assert ingest.new_samples == 1
    assert ingest.column_notes == [
        "Columns not used, only kept with their rows: reasoning, task_name.",
        "fast was left out of 1 row: it is not a number (very), line 1.",
    ]


def test_a_kernel_with_a_syntax_error_goes_in_because_the_engine_will_say_so(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1, generated_code=KERNEL + "\ndef broken(:\n")])
    assert not isinstance(items_of(path)[0], Refusal)


BROKEN_LINES = [
    (b"{not json}\n", "not JSON"),
    (b"[1, 2]\n", "not a JSON object"),
    (b'{"pytorch_code": "\xff"}\n', "not UTF-8: byte 19 is 0xff"),
    (b'{"a": ' + b"9" * 5000 + b"}\n", "not JSON"),
    (b"[" * 100_000 + b"\n", "not JSON"),
    (b'{"a": "' + b"x" * (limits.MAX_RECORD_BYTES + 10) + b'"}\n', "longer than"),
]


@pytest.mark.parametrize(("line", "reason"), BROKEN_LINES, ids=[reason for _, reason in BROKEN_LINES])
def test_a_broken_line_is_one_refusal(line, reason, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [concur_row(1), line, b"\n", concur_row(2)])
    _, bad, after = items_of(path, "concur")
    assert reason in bad.reason
    assert bad.line == 2
    assert after.record.line == 4


def test_a_csv_row_that_is_not_utf8_or_has_too_few_fields_is_one_refusal(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'pytorch_code,generated_code\nx = 1,\xff\nonly one\n"a\nb",c,d\n')
    found = items_of(path, "concur")
    assert [item.line for item in found] == [2, 3, 4]
    assert "not UTF-8" in found[0].reason
    assert "1 fields and the header 2" in found[1].reason
    assert "3 fields and the header 2" in found[2].reason


def test_a_refused_csv_row_is_kept_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('pytorch_code,generated_code\nx = f(1,2),y = 3\n"x"y,z\n')
    longer, broken = items_of(path, "concur")
    assert json.loads(longer.raw) == {"pytorch_code": "x = f(1", "generated_code": "2)", "_more": ["y = 3"]}
    assert "not CSV" in broken.reason
    assert broken.raw == '"x"y,z\n'


def test_fields_beyond_the_header_are_no_column_of_the_corrected_row(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{**concur_row(1), "_line": 2, "_more": ["y"]}])
    [item] = items_of(path)
    assert "_more" not in item.record.values


@pytest.mark.parametrize("before", ["\n", "\n\r\n\n", "\ufeff\n"])
def test_empty_lines_before_the_header_of_a_csv_file_are_skipped(before, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{before}pytorch_code,generated_code\nx = 1,y\n")
    [item] = items_of(path, "concur")
    assert json.loads(item.raw) == {"pytorch_code": "x = 1", "generated_code": "y"}


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (
            '"pytorch_code"x,generated_code',
            "names of the columns, in line 1, cannot be read. The row is not CSV",
        ),
        (
            'pytorch_code,"generated_code',
            "names of the columns, in line 1, cannot be read. The row is not CSV",
        ),
        ("pytorch_code,note,generated_code,note", "Several columns of the file are called note"),
    ],
)
@pytest.mark.django_db
def test_a_csv_file_whose_header_is_unclear_fails_with_the_reason(header, why, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\nx = 1,2,3,4\n")
    ingest = ingest_file(path, "concur")
    assert ingest.state == "failed"
    assert why in ingest.error


def test_columns_without_a_name_may_be_several(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("pytorch_code,generated_code,,\nx = 1,y,,\n")
    [item] = items_of(path, "concur")
    assert "no class Model" in item.reason


def five_broken_of_twenty() -> list:
    rows: list = [concur_row(number) for number in range(20)]
    rows[3] = {**rows[3], "pytorch_code": None}
    rows[7] = {**rows[7], "generated_code": 5}
    rows[11] = {**rows[11], "generated_think": "y" * (limits.MAX_TEXT_BYTES + 1)}
    rows[13] = (
        json.dumps(rows[13]).replace("Wait", "W\u00e9it").encode("latin-1").replace(b"\\u00e9", b"\xe9")
        + b"\n"
    )
    rows[16] = json.dumps(rows[16]).encode()[:-1] + b"\n"
    return rows


@pytest.mark.django_db
def test_a_file_with_5_broken_rows_of_20_gives_15_samples_and_5_reasons(tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", five_broken_of_twenty()))
    assert (ingest.state, ingest.rows, ingest.new_samples, ingest.refused) == ("done", 20, 15, 5)
    assert [row.line for row in ingest.refused_rows.all()] == [4, 8, 12, 14, 17]
    assert all(row.reason for row in ingest.refused_rows.all())


@pytest.mark.django_db
def test_the_file_to_mend_goes_in_once_it_is_mended(tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", five_broken_of_twenty()))
    path = refused_file(ingest)
    mended = [mend(json.loads(line)) for line in path.read_text().splitlines()]
    again = ingest_file(write_lines(tmp_path / "mended.jsonl", mended))
    assert (again.format, again.rows, again.new_samples, again.refused) == ("concur", 5, 5, 0)
    assert Sample.objects.count() == 20


def mend(row: dict) -> dict:
    """Correct the file as a person would do it in an editor."""
    number = row["_line"] - 1
    if "_raw" in row:
        text = row["_raw"].replace("\\xe9", "é")
        return {**row, "_raw": text if text.endswith("}") else text + "}"}
    good = concur_row(number)
    return {**row, row["_field"]: good[row["_field"]]}


@pytest.mark.django_db
def test_the_file_to_mend_is_refused_again_for_the_same_reasons_until_it_is_mended(tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", five_broken_of_twenty()))
    again = ingest_file(refused_file(ingest))
    assert (again.rows, again.refused, again.new_samples) == (5, 5, 0)


@pytest.mark.django_db
def test_every_kind_of_bad_row_has_its_line_in_the_file_to_mend(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 1000)
    changed = [{**concur_row(number), **changes} for number, (changes, *_) in enumerate(BAD.values())]
    broken = [line for line, reason in BROKEN_LINES if reason != "longer than"]
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [concur_row(99), *changed, *broken]))
    assert ingest.refused == len(changed) + len(broken)
    lines = refused_file(ingest).read_text().splitlines()
    reasons = list(ingest.refused_rows.order_by("line", "id").values_list("reason", flat=True))
    assert [json.loads(line)["_reason"] for line in lines] == reasons


@pytest.mark.django_db
def test_the_raw_row_of_a_columnar_file_is_kept_as_json(tmp_path):
    from tests.ingest.test_formats import as_parquet

    ingest = ingest_file(
        as_parquet(tmp_path / "a.parquet", [concur_row(1), concur_row(2, pytorch_code="x = 1")])
    )
    row = ingest.refused_rows.get()
    assert (row.line, json.loads(row.raw)["pytorch_code"]) == (2, "x = 1")


@pytest.mark.parametrize(
    "line",
    [
        '{"seed": 123456789012345678901234567890, "deep": [{"n": -9223372036854775809}]}',
        '{"a": 1.5, "b": 1e300, "c": NaN, "d": -Infinity, "e": 1e999, "f": -0.0}',
        '{"a": "\\u0000 \\ud83d\\ude00 \x7f", "a": "the last of a name counts"}',
        '{"half": "\\ud800"}',
        " [1, 2] ",
    ],
)
def test_a_line_is_read_as_the_standard_library_reads_it(line):
    assert repr(parsed(line)) == repr(json.loads(line))


@pytest.mark.parametrize("line", ['{"a": 1,}', "{'a': 1}", '{"a": "\t"}', "", "[" * 100_000, "{} {}"])
def test_what_the_standard_library_does_not_read_is_refused_in_its_words(line):
    with pytest.raises((ValueError, RecursionError)) as plain:
        json.loads(line)
    with pytest.raises(type(plain.value)) as found:
        parsed(line)
    assert str(found.value) == str(plain.value)
