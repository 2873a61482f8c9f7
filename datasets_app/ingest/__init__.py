"""The ingest stage: files in many formats become tasks and samples, and every row that cannot be stored is kept with
its reason.

`start_ingests` creates ingests of files, `run_ingest` runs one, `cancel_ingest` ends one, `undo_ingest` withdraws what
one brought, and `ingest_rows` stores rows
that a program already holds. `register` adds a format (see registry.Reader); `budget` holds what one file may cost.
This package may import every shared package, and no other stage.
"""

from datasets_app.ingest.cancel import cancel_ingest
from datasets_app.ingest.direct import ingest_rows
from datasets_app.ingest.registry import Origin, Reader, register
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.run import run_ingest
from datasets_app.ingest.sources import Provenance
from datasets_app.ingest.start import IncomingFile, enqueue_group, enqueue_next, start_ingests
from datasets_app.ingest.undo import latest_run, restore_ingest, undo_ingest, undo_plan
from datasets_app.ingest.withdraw import WithdrawalError, restore_sample, withdraw_sample

__all__ = [
    "IncomingFile",
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
    "WithdrawalError",
    "cancel_ingest",
    "enqueue_group",
    "enqueue_next",
    "ingest_rows",
    "latest_run",
    "register",
    "restore_ingest",
    "restore_sample",
    "run_ingest",
    "start_ingests",
    "undo_ingest",
    "undo_plan",
    "withdraw_sample",
]
