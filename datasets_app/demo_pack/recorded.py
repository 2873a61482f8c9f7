"""Reports of the pack's GPU kernels, recorded on an NVIDIA H200 and an H100, so that a site without a GPU has evidence.

    python -m benchmarks engine_throughput -o RESULT.json --reports REPORTS.jsonl    # on the GPU
    python -m datasets_app.demo_pack.recorded REPORTS.jsonl                           # stores them in the pack

Each is tied to the texts that it is about: whoever changes a kernel records it again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets_app.demo_pack import read_pack

RECORDED = Path(__file__).parent / "reports.jsonl"


@dataclass(frozen=True)
class RecordedReport:
    """A report and the sample of the pack that it is about. `texts` is the hash of what was verified."""

    name: str
    texts: str
    report: dict[str, Any]


def read(path: Path = RECORDED) -> Iterator[RecordedReport]:
    """Yield the recorded reports. Raises OSError, ValueError or TypeError where the file is missing or broken."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield RecordedReport(**json.loads(line))


def texts_hash(row: dict[str, Any]) -> str:
    """Return the hash of a row's program and kernel."""
    return hashlib.sha256(f"{row['pytorch_code']}\0{row['kernel_code']}".encode()).hexdigest()


def write(found: Iterable[dict[str, Any]], path: Path = RECORDED) -> int:
    """Store reports whose ids are the names of the pack's samples; return their number.

    The GPU's own identifier is left out. Raises KeyError for an id that no sample has.
    """
    rows = {row["name"]: row for row in read_pack()}
    lines = []
    for report in found:
        device = {name: value for name, value in report["device"].items() if name != "uuid"}
        name = report["id"]
        recorded = {"name": name, "texts": texts_hash(rows[name]), "report": {**report, "device": device}}
        lines.append(json.dumps(recorded, ensure_ascii=False, sort_keys=True))
    path.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")
    return len(lines)


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        sys.stdout.write(f"{write(map(json.loads, file))} reports stored in {RECORDED}\n")
