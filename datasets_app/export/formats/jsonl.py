from typing import Any

import orjson

from datasets_app.export.formats.base import ByteSink, Format
from datasets_app.export.options import DEFAULT, Options


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
        self.stream.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))

    def close(self) -> None:
        self.stream.flush()
