"""The ingest stage: files in many formats become tasks and samples, and no bad row is lost.

`start` makes ingests of files, `run` does one, `register` adds a format (see registry.Reader), `ingest_rows` stores
rows that a program has at hand.
"""

from datasets_app.ingest.direct import ingest_rows
from datasets_app.ingest.registry import Origin, Reader, register
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.running import run
from datasets_app.ingest.sources import Provenance
from datasets_app.ingest.starting import Given, start, sweep, wake_next

__all__ = [
    "Given",
    "IngestError",
    "Origin",
    "Provenance",
    "Reader",
    "Record",
    "Refusal",
    "Row",
    "RowError",
    "SamplePart",
    "TaskPart",
    "ingest_rows",
    "register",
    "run",
    "start",
    "sweep",
    "wake_next",
]
