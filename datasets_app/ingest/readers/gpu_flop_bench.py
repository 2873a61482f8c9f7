"""gpuFLOPBench: HeCBench's CUDA programs, each a folder of sources, beside the profile of their kernels in one CSV; or
the kernels that were extracted from them in one JSON: {program: {path of a source: [kernel, ...]}}.

There is no PyTorch program. Each folder, or each extracted kernel, is one sample; what the profiler counted of a
program's kernels is kept as claims.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from datasets_app.ingest import archives
from datasets_app.ingest.limits import (
    DEVICE_CHARS,
    EXTERNAL_ID_CHARS,
    MAX_BESIDE_BYTES,
    MAX_CLAIMS,
    MAX_TEXT_BYTES,
    NAME_CHARS,
)
from datasets_app.ingest.no_program import joined_files, task_without_program
from datasets_app.ingest.registry import LIKELY, NO, Origin, Reader
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile
from datasets_app.ingest.text_tables import LIST_NAME
from datasets_app.ingest.values import clean, extra, is_finite, label, mapping, number
from datasets_app.models.source_claim import Quantity, SourceClaim

PROFILE_PATH = re.compile(r"(?:^|/)profiling-data[^/]*\.csv$")
SOURCE_PATH = re.compile(r"(?:^|/)([^/]+-cuda)/(?:[^/]+/)*[^/]+\.(?:cu|cuh|h|hpp|cpp|cc)$")
SUITE = "HeCBench"
EXTRACTED = "json-objects"  # the kind of a file of extracted kernels
# Rates per second of the profile; times the kernel's nanoseconds they are the counts of one launch.
RATES = {
    "spPerf": Quantity.SINGLE_FLOPS,
    "dpPerf": Quantity.DOUBLE_FLOPS,
    "traffic": Quantity.MEMORY_BYTES,
}
NS_PER_S, NS_PER_MS = 1e9, 1e6


class GpuFlopBenchReader(Reader):
    """A folder of sources whose name the profile's targetName gives is one row; one without profile has no claims."""

    name = "gpuflopbench"
    title = "gpuFLOPBench: HeCBench programs with FLOP counts (folder, .zip, .tar), or their kernels (.json)"
    columns = ("target", "sources", "profile")
    program_field, kernel_field = "target", "sources"
    origin = Origin("gpuFLOPBench", "https://github.com/Scientific-Computing-Lab/gpuFLOPBench", "")

    def recognises(self, peek: Peek) -> int:
        if peek.kind == EXTRACTED:
            return LIKELY if any(map(SOURCE_PATH.search, peek.columns)) else NO
        if peek.kind not in ARCHIVES:
            return super().recognises(peek)
        kinds = (PROFILE_PATH, SOURCE_PATH)
        return LIKELY if all(any(map(kind.search, peek.paths)) for kind in kinds) else NO

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        if file.kind() not in ARCHIVES:
            records = extracted(file) if file.kind() == EXTRACTED else file.records()
            for record in records:
                yield record if isinstance(record, Refusal) else self.row_or_refusal(record, file)
            return
        profiles = profiles_of(file)
        for line, (target, sources) in enumerate(programs_of(file), start=1):
            values = {"target": target, "sources": sources, "profile": profiles.get(target, [])}
            yield self.row_or_refusal(Record(line, values), file)

    def row(self, record: Record, file: SourceFile) -> Row:
        target = label(record.values, "target", NAME_CHARS)
        profile = profile_of(record.values)
        sources = mapping(record.values, "sources")
        if not sources or not all(isinstance(text, str) for text in sources.values()):
            raise RowError("sources", "is no object of file names and texts", sources)
        sample = SamplePart(
            kernel=clean("sources", joined_files(sources)),
            generator=SUITE,
            language="cuda",
            external_id=label(record.values, "kernel", EXTERNAL_ID_CHARS) or target[:EXTERNAL_ID_CHARS],
            claimed_device=file.device or device_of(profile),
            claims=tuple(claims(profile))[:MAX_CLAIMS],
            is_program=False,
        )
        return Row(record, task_without_program("gpuFLOPBench", target, SUITE), sample)


def profile_of(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = values.get("profile")
    return [extra(row) for row in (rows if isinstance(rows, list) else ()) if isinstance(row, Mapping)]


def profiles_of(file: SourceFile) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the profile by program. Raises IngestError for a table of another form."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, content in archives.members(file, PROFILE_PATH, MAX_BESIDE_BYTES):
        try:
            rows = list(csv.DictReader(io.StringIO(content.decode(errors="replace"))))
        except csv.Error as error:
            raise IngestError(f"{path} is not CSV: {error}.") from error
        if rows and not {"targetName", "kernelName", "xtime", *RATES} <= set(rows[0]):
            raise IngestError(
                f"{path} lacks the profile's columns: targetName, kernelName, xtime, {', '.join(RATES)}."
            )
        for row in rows:
            found[str(row["targetName"])].append({name: value for name, value in row.items() if name})
    return found


def programs_of(file: SourceFile) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each program's folder and its files, a folder at a time."""
    folders: dict[str, dict[str, str]] = defaultdict(dict)
    for path, content in archives.members(file, SOURCE_PATH, MAX_TEXT_BYTES + 1):
        match = SOURCE_PATH.search(path)
        if match:
            inside = path[match.start(1) + len(match[1]) + 1 :]
            folders[match[1]][inside] = content.decode(errors="backslashreplace")
    yield from sorted(folders.items())


def extracted(file: SourceFile) -> Iterator[Record | Refusal]:
    """Yield each extracted kernel as the one source of its program; paths are as on the machine that extracted them."""
    count = 0
    for record in file.records():
        if isinstance(record, Refusal):
            yield record
            continue
        target = str(record.values.get(LIST_NAME, ""))
        for path, kernels in record.values.items():
            if path == LIST_NAME:
                continue
            inside = path.rpartition(f"/{target}/")[2]
            for place, kernel in enumerate(kernels if isinstance(kernels, list) else [kernels]):
                count += 1
                name = f"{target}|{inside}|{place}"[-EXTERNAL_ID_CHARS:]
                yield Record(
                    count, {"target": target, "sources": {inside: kernel}, "profile": [], "kernel": name}
                )


def claims(profile: list[dict[str, Any]]) -> Iterator[SourceClaim]:
    """Yield what the profile counted of each launch; a row without a time counts nothing."""
    for row in profile:
        launch, device = launch_of(row), str(row.get("device") or "")
        time_ns = number(row, "xtime")
        if not time_ns or time_ns <= 0:
            continue
        yield SourceClaim(Quantity.TIME, time_ns / NS_PER_MS, "", device, launch)
        for column, quantity in RATES.items():
            rate = number(row, column)
            if rate is not None and rate >= 0 and is_finite(count := rate * time_ns / NS_PER_S):
                yield SourceClaim(quantity, round(count), "", device, launch)
        integers = number(row, "intops")
        if integers is not None and integers >= 0:
            yield SourceClaim(Quantity.INTEGER_OPERATIONS, integers, "", device, launch)


def launch_of(row: Mapping[str, Any]) -> str:
    """Return the kernel's name and its launch: grid, block, the program's arguments."""
    grid, block, arguments = row.get("Grid Size"), row.get("Block Size"), row.get("exeArgs")
    shape = f" <<<{grid}, {block}>>>" if grid and block else ""
    given = f", run with {arguments}" if arguments and arguments != "NULL" else ""
    return f"{row.get('kernelName')}{shape}{given}"[:300]


def device_of(profile: list[dict[str, Any]]) -> str:
    devices = {str(row.get("device") or "") for row in profile}
    return devices.pop()[:DEVICE_CHARS] if len(devices) == 1 else ""
