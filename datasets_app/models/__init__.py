"""The triples and what people decide about them, one concept a file."""

from datasets_app.models.audit import AuditEntry
from datasets_app.models.ingest import Ingest, RefusedRow
from datasets_app.models.job import Job, JobState
from datasets_app.models.recipe import Recipe
from datasets_app.models.release import Export, Release, ReleaseRow, Split
from datasets_app.models.review import Review, ReviewClaim, ReviewDraft
from datasets_app.models.sample import Language, Sample, SampleBody, Verdict
from datasets_app.models.source import Source
from datasets_app.models.task import Operator, Task, TaskBody, TaskKind
from datasets_app.models.token import ApiToken

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Export",
    "Ingest",
    "Job",
    "JobState",
    "Language",
    "Operator",
    "Recipe",
    "RefusedRow",
    "Release",
    "ReleaseRow",
    "Review",
    "ReviewClaim",
    "ReviewDraft",
    "Sample",
    "SampleBody",
    "Source",
    "Split",
    "Task",
    "TaskBody",
    "TaskKind",
    "Verdict",
]
