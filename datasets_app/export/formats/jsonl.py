import json
from typing import Any

from datasets_app.export.formats.base import ByteSink, Format
from datasets_app.export.options import DEFAULT, Options

ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


class JsonLines(Format):
    """One JSON object a line: UTF-8, line feeds, no NaN."""

    name = "jsonl"
    title = "JSON Lines"
    means = "one JSON object per row"
    folder = "jsonl"
    suffix = "jsonl"
    media_type = "application/jsonl"

    def open(self, stream: ByteSink, options: Options = DEFAULT) -> "JsonLinesWriter":
        return JsonLinesWriter(stream)


class JsonLinesWriter:
    def __init__(self, stream: ByteSink) -> None:
        self.stream = stream

    def write(self, row: dict[str, Any]) -> None:
        text = ENCODER.encode(row)
        self.stream.write(text.encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        self.stream.flush()
