"""Files to ingest, and the shortest way to ingest one."""

import json
import os
from pathlib import Path

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import IncomingFile, Provenance, run_ingest, start_ingests
from datasets_app.ingest.recognition import recognise
from datasets_app.ingest.source_file import SourceFile
from tests.factories import KERNEL, PROGRAM

REAL_DATA = Path(
    os.environ.get("CONCUR_REAL_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data")
)


def concur_row(number: int, **changes) -> dict:
    """Return a valid row in ConCuR's columns; each number has its own task."""
    row = {
        "uuid": number,
        "problem_name": f"relu_plus_{number}",
        "pytorch_code": PROGRAM.format(number=number),
        "generated_think": f"Fuse them. Wait, {number} blocks are enough.",
        "generated_code": KERNEL.format(number=number),
        "speedup_over_eager": 1.5,
    }
    return {**row, **changes}


def workbench_row(number: int, **changes) -> dict:
    row = {
        "task_name": f"relu_plus_{number}",
        "pytorch_code": PROGRAM.format(number=number),
        "reasoning": f"Fuse them, {number}.",
        "kernel_code": KERNEL.format(number=number),
    }
    return {**row, **changes}


def write_lines(path: Path, rows) -> Path:
    path.write_bytes(
        b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)
    )
    return path


def ingest_file(path: Path, format_name: str = "", **fields):
    """Ingest one file in this process."""
    given = IncomingFile(path, path.name, format_name, fields.pop("provenance", Provenance()), **fields)
    [ingest] = start_ingests([given], COMMAND, in_background=False)
    run_ingest(ingest.pk)
    ingest.refresh_from_db()
    return ingest


def items_of(path: Path, format_name: str = "", **fields) -> list:
    """Return the rows that the reader of a file yields."""
    file = SourceFile(path, path.name, **fields)
    return list(recognise(file, format_name).rows(file))


@pytest.fixture(autouse=True)
def own_upload_folder(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.INBOX_DIR = tmp_path / "inbox"
    settings.INBOX_DIR.mkdir()


@pytest.fixture
def real_data() -> Path:
    if not REAL_DATA.is_dir():
        pytest.skip(f"no real data at {REAL_DATA}; set CONCUR_REAL_DATA to its folder")
    return REAL_DATA
