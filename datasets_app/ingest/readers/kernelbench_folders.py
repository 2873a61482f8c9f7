"""KernelBench's tasks as in its repository: level1/1_Name.py and so on, in a folder, a .zip or a .tar."""

from __future__ import annotations

import re
from collections.abc import Iterator

from datasets_app.ingest import archives
from datasets_app.ingest.limits import MAX_TEXT_BYTES
from datasets_app.ingest.readers.kernelbench import ORIGIN, KernelBenchReader
from datasets_app.ingest.registry import FALLBACK, LIKELY, NO, Reader, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile

PROGRAM_PATH = re.compile(r"(?:^|/)level_?(\d{1,4})/(\d{1,9})_([^/]+)\.py$")


class KernelBenchFoldersReader(Reader):
    """Keeps refused programs as rows of the table format, in which they can be corrected."""

    name, title = "kernelbench-folders", "KernelBench level folders (folder, .zip, .tar)"
    origin = ORIGIN
    order = 0
    as_table = KernelBenchReader()

    def recognises(self, peek: Peek) -> int:
        if peek.kind not in ARCHIVES:
            return NO
        return LIKELY if any(map(PROGRAM_PATH.search, peek.paths)) else FALLBACK

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        number = 0
        for path, content in archives.members(file, PROGRAM_PATH, MAX_TEXT_BYTES + 1):
            number += 1
            yield self.program_row(number, path, content, file)
        if not number:
            raise IngestError("There is no program in a level folder, such as level1/1_Name.py.")

    def program_row(self, line: int, path: str, content: bytes, file: SourceFile) -> Row | Record | Refusal:
        level, problem, name = PROGRAM_PATH.search(path).groups()  # type: ignore[union-attr]
        values = {"level": int(level), "problem_id": int(problem), "name": f"{problem}_{name}", "path": path}
        record = Record(line, {**values, "code": content.decode(errors="backslashreplace")})
        try:
            content.decode()
        except UnicodeDecodeError as error:
            return refuse(record, RowError("code", f"is not UTF-8 at byte {error.start + 1}"))
        return self.as_table.row_or_refusal(record, file)
