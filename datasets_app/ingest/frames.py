"""Portions on a pipe: a kind, a length and JSON, so that nothing that comes back can be more than data.

Kinds: o, a portion by orjson; j, one by the standard library, for what orjson does not take (whole numbers of more than
64 bits, halves of surrogate pairs); x, why the file cannot be read any further; e, the end.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, BinaryIO

import orjson

from datasets_app.ingest.prepared import Portion, Ready, SampleValues, TaskValues
from datasets_app.ingest.rows import IngestError, Refusal

HEAD = struct.Struct(">cQ")


class CutOffError(Exception):
    """The pipe ended without a word."""


def write(pipe: BinaryIO, bytes_read: int, portion: Portion) -> None:
    if portion.records:
        raise TypeError("records of other kinds than triples are not handed over")
    plain = (bytes_read, [*portion.tasks.values()], portion.rows, [asdict(one) for one in portion.refusals])
    try:
        send(pipe, b"o", orjson.dumps(plain, default=list))
    except TypeError:
        send(pipe, b"j", json.dumps(plain).encode())


def write_end(pipe: BinaryIO, failure: str = "") -> None:
    send(pipe, b"x" if failure else b"e", failure.encode(errors="backslashreplace"))


def send(pipe: BinaryIO, kind: bytes, body: bytes) -> None:
    pipe.write(HEAD.pack(kind, len(body)))
    pipe.write(body)
    pipe.flush()


def read(pipe: BinaryIO) -> Iterator[tuple[int, Portion]]:
    """What was written, up to the end. Raises IngestError as it was told; CutOffError where the end is missing."""
    while len(head := pipe.read(HEAD.size)) == HEAD.size:
        kind, size = HEAD.unpack(head)
        if len(body := pipe.read(size)) < size:
            break
        if kind == b"e":
            return
        if kind == b"x":
            raise IngestError(body.decode())
        yield portion_of(*(orjson.loads(body) if kind == b"o" else json.loads(body)))
    raise CutOffError


def portion_of(
    bytes_read: int, tasks: list[Any], rows: list[Any], refusals: list[dict[str, Any]]
) -> tuple[int, Portion]:
    return bytes_read, Portion(
        tasks={task[0]: TaskValues._make(task) for task in tasks},
        rows=[Ready(ids, SampleValues._make(sample) if sample else None) for ids, sample in rows],
        refusals=[Refusal(**one) for one in refusals],
    )
