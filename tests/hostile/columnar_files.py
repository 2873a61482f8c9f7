"""Parquet and Arrow files that cost far more than their size suggests; see files.py."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tests.hostile.files import ROW, hostile


def parquet(table: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", **options)
    return sink.getvalue()


def stream(batch: pa.RecordBatch, times: int = 1, **options: object) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for _ in range(times):
            writer.write_batch(batch)
    return sink.getvalue()


def repeated(text: str, count: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([text]))


@hostile(".parquet")
def parquet_dictionary(full: bool) -> bytes:
    """One text of 9 MB, referenced by each of 100,000 rows."""
    text = "x" * (9 * 2**20 if full else 2**20)
    return parquet(pa.table({"pytorch_code": repeated(text, 100_000 if full else 1_000)}))


@hostile(".parquet")
def parquet_of_nulls(full: bool) -> bytes:
    return parquet(pa.table({name: pa.nulls(5_000_000 if full else 50_000, pa.string()) for name in ROW}))


@hostile(".parquet")
def parquet_of_many_columns(full: bool) -> bytes:
    return parquet(pa.table({f"c{at}": [1] for at in range(20_000 if full else 2_500)}))


@hostile(".parquet")
def parquet_claiming_many_rows(full: bool) -> bytes:
    """Replace the footer's row count, a varint of three bytes, with the largest one of that length."""
    content = parquet(pa.table({name: ["x"] * 100_000 for name in ROW}))
    count, wrong = b"\xc0\x9a\x0c", b"\xfe\xff\x7f"
    at = content.rindex(count)
    return content[:at] + wrong + content[at + 3 :]


@hostile(".parquet")
def parquet_nested_deep(full: bool) -> bytes:
    kind = pa.int32()
    for _ in range(200 if full else 60):
        kind = pa.struct([("a", kind)])
    return parquet(pa.table({"pytorch_code": pa.array([None], kind)}))


@hostile(".arrow")
def arrow_dictionary(full: bool) -> bytes:
    """Return 14 KB that expand to gigabytes."""
    text = "x" * (8 * 2**20 if full else 2**20)
    batch = pa.record_batch({"pytorch_code": repeated(text, 50_000 if full else 500)})
    return stream(batch, compression="zstd")


@hostile(".arrow")
def arrow_run_ends(full: bool) -> bytes:
    count = 2**31 - 2 if full else 200_000
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([count], pa.int32()), pa.array(["x"]))
    return stream(pa.record_batch({"pytorch_code": runs, "kernel_code": runs}))


@hostile(".arrow")
def arrow_of_nulls(full: bool) -> bytes:
    count = 2**40 if full else 200_000
    return stream(pa.record_batch({name: pa.nulls(count) for name in ROW}))


@hostile(".arrow")
def arrow_claiming_a_large_part(full: bool) -> bytes:
    """Set the length of the first batch's body to 2^40."""
    content = stream(pa.record_batch({"pytorch_code": ["x" * 1000]}))
    body = (1024).to_bytes(8, "little")
    candidates = [at for at in range(len(content)) if content[at : at + 8] == body]
    for at in candidates or [len(content) // 2]:
        content = content[:at] + (2**40).to_bytes(8, "little") + content[at + 8 :]
    return content


@hostile(".arrow")
def arrow_with_wrong_offsets(full: bool) -> bytes:
    """Return offsets that run backwards and point beyond the text."""
    good = pa.array(["abc", "def", "ghi"])
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 2**20, 1, 9)))
    wrong = pa.Array.from_buffers(pa.string(), 3, [None, offsets, good.buffers()[2]])
    return stream(pa.RecordBatch.from_arrays([wrong], names=["pytorch_code"]))


@hostile(".arrow")
def arrow_of_no_utf8(full: bool) -> bytes:
    raw = pa.array([b"\xff\xfe\xfd"] * 3, pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    return stream(pa.RecordBatch.from_arrays([text], names=["pytorch_code"]))
