"""Tests that each format's file, read back, holds the rows, whatever texts are in them."""

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.export.columns import COLUMNS, NAMES
from datasets_app.export.errors import OptionsError
from datasets_app.export.formats import FORMATS, OF_SAMPLES
from datasets_app.export.options import DEFAULT, parse
from datasets_app.export.types import is_list
from datasets_app.ingest.registry import reader_named
from datasets_app.ingest.source_file import SourceFile
from tests.export import reading
from tests.export.reading import ID, TASK, row, written

# Every text that ingest stores: valid Unicode without NUL.
NASTY = [
    "\ufeff",
    "</think>",
    "<think>",
    "```",
    "`````python\n",
    "=1+1",
    "'=1",
    '"',
    "\r\n",
    ",",
    "\u2028",
    "{x}",
    "@",
    "𝛂",
]
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TEXTS = st.lists(st.sampled_from(NASTY) | CHARACTERS, max_size=6).map("".join)
ROWS = st.builds(
    row,
    pytorch_code=TEXTS,
    generated_think=TEXTS,
    generated_code=TEXTS,
    problem_name=TEXTS,
    feedback=TEXTS,
    speedup_over_eager=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    level=st.none() | st.integers(0, 99),
    runs_disagree=st.none() | st.booleans(),
    tags=st.lists(TEXTS, max_size=2),
    findings=st.lists(st.fixed_dictionaries({"code": TEXTS, "severity": TEXTS, "detail": TEXTS}), max_size=2),
)
READERS = {
    "jsonl": reading.lines,
    "parquet": reading.parquet,
    "arrow": reading.arrow,
    "csv": reading.table,
}
# No deadline: the tests share their machine.
ANY = settings(max_examples=40)


@pytest.mark.parametrize("format", READERS)
@ANY
@given(rows=st.lists(ROWS, min_size=1, max_size=3))
def test_rows_come_back_as_they_were(format, rows):
    assert READERS[format](written(format, rows)) == rows


@pytest.mark.parametrize("format", FORMATS)
@ANY
@given(rows=st.lists(ROWS, min_size=1, max_size=3))
def test_the_same_rows_make_the_same_bytes(format, rows):
    assert written(format, rows) == written(format, rows)


@pytest.mark.parametrize(("format", "read"), [("chat", reading.parquet), ("chat-jsonl", reading.lines)])
@pytest.mark.parametrize("think", [True, False])
@ANY
@given(one=ROWS)
def test_program_trace_and_kernel_come_back_from_a_conversation(format, read, think, one):
    (record,) = read(written(format, [one], think=think))
    asked, answered = record["messages"]
    assert (asked["role"], answered["role"]) == ("user", "assistant")
    assert (record["id"], record["task_id"]) == (ID, TASK)
    assert reading.program_of(asked["content"]) == one["pytorch_code"]
    trace = one["generated_think"] if think else ""
    assert reading.texts_of(answered["content"]) == (trace, one["generated_code"])


@pytest.mark.parametrize("format", ["jsonl", "parquet", "arrow", "csv"])
def test_a_chosen_set_of_columns_keeps_the_order_of_rows(format):
    (read,) = READERS[format](written(format, [row(level=2)], columns=["level", "uuid"]))
    assert read == {"uuid": ID, "level": 2}
    assert tuple(read) == ("uuid", "level")


@ANY
@given(one=ROWS)
def test_no_cell_of_a_spreadsheet_begins_a_formula(one):
    (cells,) = reading.spreadsheet(written("csv", [one]))
    texts = [cells[column.name] for column in COLUMNS if column.type == "string" or is_list(column.type)]
    assert not [text for text in texts if text.startswith(tuple("=+-@\t\r\n＝＋－＠"))]


def test_csv_tells_an_empty_text_from_none_and_keeps_line_ends():
    (line,) = reading.table(written("csv", [row(generated_think="", parent=None, feedback="a\r\nb\n\rc")]))
    assert (line["generated_think"], line["parent"], line["feedback"]) == ("", None, "a\r\nb\n\rc")


def test_concurs_layout_has_its_six_columns_and_a_number_per_problem():
    first, second = row(), row(uuid=TASK)
    one, other = reading.arrow(written("concur", [first, second]))
    assert tuple(one) == NAMES[:6]
    assert isinstance(one["uuid"], int)
    assert one["uuid"] == other["uuid"] < 2**63
    assert one["generated_think"] == "I think."
    (named,) = reading.arrow(written("concur", [first], numbered=False))
    assert named == {name: first[name] for name in NAMES[:6]}


def test_concurs_layout_has_the_released_types_and_its_reader_takes_it(tmp_path):
    path = tmp_path / "data-00000-of-00001.arrow"
    path.write_bytes(written("concur", [row(problem_name="Softmax", speedup_over_eager=2.5)]))
    schema = pa.ipc.open_stream(path.read_bytes()).schema
    assert list(map(str, schema.types)) == ["int64", *["string"] * 4, "double"]
    (taken,) = reader_named("concur").rows(SourceFile(path, path.name))
    assert (taken.task.name, taken.task.program) == ("Softmax", "class Model: ...")
    assert (taken.sample.reasoning, taken.sample.kernel) == ("I think.", "class ModelNew: ...")
    assert taken.sample.claimed_speedup == 2.5


def test_concurs_layout_has_the_released_file_name():
    assert FORMATS["concur"].path("train", 0, 1) == "concur/train/data-00000-of-00001.arrow"


def test_a_row_without_a_trace_is_a_conversation_without_think_tags():
    (record,) = reading.lines(written("chat-jsonl", [row(generated_think=None)]))
    assert record["messages"][1]["content"] == "```python\nclass ModelNew: ...\n```"


def test_other_options_have_a_folder_of_their_own_and_the_default_has_the_plain_one():
    takes = FORMATS["chat"].takes
    assert FORMATS["chat"].place(parse(takes, {"think": True})) == "chat"
    other = FORMATS["chat"].place(parse(takes, {"think": False}))
    assert other.startswith("chat-")
    assert len(other) == len("chat-") + 8
    assert parse(takes, {"think": False}).to_json() == {"think": False}
    assert parse(takes, parse(takes, {"think": False}).to_json()) == parse(takes, {"think": False})


def test_columns_in_another_order_are_the_same_choice():
    takes = FORMATS["csv"].takes
    assert parse(takes, {"columns": ["level", "uuid"]}) == parse(takes, {"columns": ["uuid", "level"]})
    assert parse(takes, {"columns": list(NAMES)}) == DEFAULT


@pytest.mark.parametrize(
    ("format", "chosen", "says"),
    [
        ("csv", {"columns": ["uuid", "speed"]}, "There is no 'speed' among the columns"),
        ("csv", {"columns": []}, "Choose at least one"),
        ("csv", {"columns": "uuid"}, "a list of names"),
        ("csv", {"think": False}, "no option 'think'"),
        ("chat", {"think": "no"}, "true or false"),
        ("chat", {"template": 3}, "is a text"),
        ("chat", {"template": "Faster, please"}, "lacks {program}"),
        ("chat", {"template": "{program} {trace}"}, "names {trace}, which it cannot"),
        ("chat", {"template": "{program.__class__}"}, "names {program.__class__}, which it cannot"),
        ("chat", {"template": "{program!r}"}, "which it cannot"),
        ("chat", {"template": "{program:>10}"}, "which it cannot"),
        ("chat", {"template": "{program} {"}, "a brace without its partner"),
        ("chat", {"template": "{program}\x1b[2J"}, "invisible"),
        ("chat", {"template": "{program}" + "x" * 20_000}, "at most"),
        ("preference", {"pairs": ["slow"]}, "There is no 'slow' among the kinds of pairs"),
    ],
)
def test_a_wrong_option_is_refused_in_a_sentence(format, chosen, says):
    with pytest.raises(OptionsError) as refused:
        parse(FORMATS[format].takes, chosen)
    assert says in str(refused.value)
    assert set(refused.value.faults) == set(chosen)


def test_a_template_names_places_and_keeps_braces_that_are_meant():
    one = row(problem_name="{device}", device="H200")
    template = "{{task}}: {task} in {language} on {device}\r\n{program}"
    (record,) = reading.lines(written("chat-jsonl", [one], template=template))
    asked = record["messages"][0]["content"]
    assert asked == "{task}: {device} in CUDA on H200\n```python\nclass Model: ...\n```"


def test_every_format_has_a_title_a_meaning_and_a_folder_of_its_own():
    assert len({made.title for made in FORMATS.values()}) == len(FORMATS)
    assert len({made.folder for made in FORMATS.values()}) == len(FORMATS)
    assert all(made.means and json.dumps(made.means) for made in FORMATS.values())


def test_samples_without_a_release_have_the_formats_that_need_no_other_row():
    assert set(FORMATS) - set(OF_SAMPLES) == {"chat-masked", "chat-turns", "preference", "kto", "rl"}
