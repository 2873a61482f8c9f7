"""Tests that a reader turns any bytes into rows or refusals, or raises the stage's own error."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.ingest import IngestError, Refusal, Row
from datasets_app.ingest.registry import reader_named, readers
from datasets_app.ingest.source_file import SourceFile
from tests.ingest.conftest import concur_row, workbench_row
from tests.ingest.test_formats import as_arrow_file, as_arrow_stream, as_parquet

FORMATS = [reader.name for reader in readers() if not reader.stores_itself]
MAPPING = {"pytorch_code": "pytorch_code", "kernel_code": "generated_code"}
ANY = settings(max_examples=25)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def read_all(path: Path, format_name: str) -> list:
    file = SourceFile(path, path.name, mapping=MAPPING)
    try:
        return list(reader_named(format_name).rows(file))
    except IngestError:
        return []


def check_items(items: list) -> None:
    for item in items:
        assert isinstance(item, Row | Refusal)
        if isinstance(item, Refusal):
            assert item.reason
            assert "\x00" not in item.raw + item.value
            (item.raw + item.value + item.reason).encode()


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", FORMATS)
@ANY
@given(
    content=st.binary(max_size=400),
    start=st.sampled_from(
        [b"", b"{", b"[", b"a,b\n", b"PK\x03\x04", b"PAR1", b"\xff" * 4, b"\x1f\x8b", b"\x28\xb5\x2f\xfd"]
    ),
)
def test_any_bytes(format_name, content, start, tmp_path):
    path = tmp_path / "any"
    path.write_bytes(start + content)
    check_items(read_all(path, format_name))


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name != "kernelbench-folders"])
@ANY
@given(data=st.data())
def test_any_values_under_the_formats_own_columns(format_name, data, tmp_path):
    columns = reader_named(format_name).columns or tuple(MAPPING.values())
    columns = (*columns, "name", "turn", "uuid", "speedup_over_eager", "sampling", "_raw", "extra")
    rows = data.draw(st.lists(st.dictionaries(st.sampled_from(columns), JSON_VALUES), min_size=1, max_size=3))
    path = tmp_path / "any.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = read_all(path, format_name)
    assert len(items) == len(rows)
    check_items(items)


@pytest.mark.parametrize("form", [as_parquet, as_arrow_file, as_arrow_stream])
@ANY
@given(data=st.data())
def test_a_columnar_file_with_a_few_bytes_changed(form, data, tmp_path):
    whole = bytearray(form(tmp_path / "whole", [concur_row(n) for n in range(3)]).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(8, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "changed"
    path.write_bytes(bytes(whole[: data.draw(st.integers(9, len(whole)))]))
    check_items(read_all(path, "concur"))


@ANY
@given(cut=st.integers(3, 400))
def test_a_gz_cut_anywhere(cut, tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(json.dumps(workbench_row(1)).encode() + b"\n")[:cut])
    check_items(read_all(path, "workbench"))
