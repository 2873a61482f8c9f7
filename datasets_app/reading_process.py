"""The process that datasets_app.ingest.apart starts: an order comes in as JSON, portions go out as frames.

It lies beside its stage: Python reads a module's package first, and the stage can only be read once Django is set up.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import django


def main() -> None:
    told = json.load(sys.stdin)
    pipe = stdout_for_frames()
    django.setup()
    gc.freeze()  # what Django is made of need not be looked through again and again
    read(told, pipe)


def stdout_for_frames() -> BinaryIO:
    """Standard output; whoever prints from now on prints to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def read(told: dict[str, Any], pipe: BinaryIO) -> None:
    from datasets_app.ingest import frames
    from datasets_app.ingest.prepared import read_on
    from datasets_app.ingest.recognition import chosen
    from datasets_app.ingest.rows import IngestError
    from datasets_app.ingest.source_file import SourceFile

    file = SourceFile(Path(told["path"]), told["name"], told["device"], told["source_name"], told["mapping"])
    try:
        rows = chosen(told["format"]).rows(file)
        for bytes_read, portion in read_on(rows, file, told["counted"]):
            frames.write(pipe, bytes_read, portion)
    except IngestError as error:
        frames.write_end(pipe, str(error))
    else:
        frames.write_end(pipe)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # nobody wants the rest
        os._exit(0)
