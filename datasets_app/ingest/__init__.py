"""The ingest stage: files in many formats become tasks and samples, and no bad row is lost.

`start` makes ingests of files, `run` does one, `cancel` ends one, `register` adds a format (see registry.Reader),
`ingest_rows` stores rows that a program has at hand. budget.py holds what one file may cost.
"""

from datasets_app.ingest.cancel import cancel
from datasets_app.ingest.direct import ingest_rows
from datasets_app.ingest.registry import Origin, Reader, register
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.run import run
from datasets_app.ingest.sources import Provenance
from datasets_app.ingest.start import Given, start, sweep, wake_group, wake_next

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
    "cancel",
    "ingest_rows",
    "register",
    "run",
    "start",
    "sweep",
    "wake_group",
    "wake_next",
]
