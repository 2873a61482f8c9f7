"""The reader of REPORTS.jsonl: reports of the engine's own command line become verifications."""

from typing import ClassVar

from datasets_app.ingest import Reader, Record, RowError
from datasets_app.ingest.registry import CERTAIN, NO, TABLES
from datasets_app.ingest.source_file import Peek
from datasets_app.models import Ingest
from datasets_app.models.identity import is_uuid
from eval_app.engine import ContractError
from eval_app.results.record import UnknownSampleError, take_in

REQUIRED_COLUMNS = {"id", "outcome", "detail", "sandbox"}  # also in the report of a line that is not a job


class ReportsReader(Reader):
    """Reads one report per row, whose id is the sample's. A repeated report is stored once."""

    name, title = "reports", "Engine reports (REPORTS.jsonl)"
    order = 50  # after the triples that the reports are about
    stores_itself = True
    record_word = "verifications"
    kernel_field: ClassVar[str] = ""

    def recognises(self, peek: Peek) -> int:
        return CERTAIN if peek.kind in TABLES and set(peek.columns) >= REQUIRED_COLUMNS else NO

    def store(self, record: Record, ingest: Ingest) -> bool:
        """Store a report; return whether it was new. Raises RowError for a report that breaks the contract or has no
        sample here."""
        sample_id = str(record.values.get("id", ""))
        if not is_uuid(sample_id):
            raise RowError("id", "is not the id of a sample: write the jobs with `manage.py jobs`", sample_id)
        try:
            return take_in(sample_id, dict(record.values))
        except UnknownSampleError as error:
            raise RowError("id", str(error), sample_id) from error
        except ContractError as error:
            raise RowError("report", f"breaks the engine's contract: {error}") from error
