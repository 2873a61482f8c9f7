"""The triples, the evidence about them, and what people decide about them: one concept per file."""

from datasets_app.models.append_only import AppendOnly, AppendOnlyError
from datasets_app.models.assignment import Assignment
from datasets_app.models.audit import AuditEntry
from datasets_app.models.baseline import Baseline
from datasets_app.models.bulk import BulkAction, BulkChange
from datasets_app.models.edit import Edit, EditState, EditVersion
from datasets_app.models.environment import Environment
from datasets_app.models.evaluation_run import EvaluationRun, RunKind, TaskSet, TaskSetMember
from datasets_app.models.evidence import Evidence, EvidenceDevice
from datasets_app.models.finding import Finding
from datasets_app.models.fingerprint import KernelFingerprint, ProgramFingerprint
from datasets_app.models.honeypot import Honeypot, HoneypotAnswer
from datasets_app.models.ingest import Ingest, IngestState, RefusedRow
from datasets_app.models.ingest_undo import IngestUndo
from datasets_app.models.invitation import Invitation
from datasets_app.models.job import Job, JobState
from datasets_app.models.login import LoginFailure
from datasets_app.models.loop import Loop, LoopEnd, LoopPolicy
from datasets_app.models.maintenance_run import MaintenanceKind, MaintenanceRun
from datasets_app.models.note import Note, NoteAnchor, NotedText, NoteEntry, NoteEntryKind, NoteRead
from datasets_app.models.note_label import NoteLabel
from datasets_app.models.outcome import DECIDING, FAULTS, UNDECIDED, Outcome
from datasets_app.models.preference import Preference, PreferenceChoice, PreferenceWithdrawal
from datasets_app.models.priority import Priority
from datasets_app.models.publication import Publication, Visibility
from datasets_app.models.queue import (
    QueueFacet,
    QueueItem,
    QueueOrder,
    ReviewQueue,
    ReviewSkip,
    SkipReason,
)
from datasets_app.models.recipe import Recipe, RecipeVersion
from datasets_app.models.release import Export, FrozenError, Release, ReleaseRow, Split
from datasets_app.models.review import Review, ReviewClaim, ReviewDraft, ReviewWithdrawal
from datasets_app.models.rubric import RubricVersion
from datasets_app.models.sample import Language, Sample, SampleVerdict, Verdict
from datasets_app.models.sample_body import SampleBody
from datasets_app.models.saved_view import DefaultView, SavedView
from datasets_app.models.second_factor import SecondFactor
from datasets_app.models.shape import CodeShape, ShapeBand
from datasets_app.models.source import Source
from datasets_app.models.suggestion import (
    Suggestion,
    SuggestionAnswer,
    SuggestionKind,
    SuggestionReply,
    SuggestionSource,
)
from datasets_app.models.synthesis import Candidate, CandidateState, Synthesis
from datasets_app.models.table_export import TableExport
from datasets_app.models.tag import SampleTag, Tag, TagColour
from datasets_app.models.task import Operator, Task, TaskBody
from datasets_app.models.task_finding import TaskFinding
from datasets_app.models.token import ApiToken
from datasets_app.models.verification import Verification, WantedDevice
from datasets_app.models.verification_report import MachineCode, StageChange, VerificationReport
from datasets_app.models.webhook import Webhook, WebhookDelivery, WebhookEvent
from datasets_app.models.withdrawal import SampleWithdrawal
from datasets_app.syntax.task_kinds import TaskKind

__all__ = [
    "DECIDING",
    "FAULTS",
    "UNDECIDED",
    "ApiToken",
    "AppendOnly",
    "AppendOnlyError",
    "Assignment",
    "AuditEntry",
    "Baseline",
    "BulkAction",
    "BulkChange",
    "Candidate",
    "CandidateState",
    "CodeShape",
    "DefaultView",
    "Edit",
    "EditState",
    "EditVersion",
    "Environment",
    "EvaluationRun",
    "Evidence",
    "EvidenceDevice",
    "Export",
    "Finding",
    "FrozenError",
    "Honeypot",
    "HoneypotAnswer",
    "Ingest",
    "IngestState",
    "IngestUndo",
    "Invitation",
    "Job",
    "JobState",
    "KernelFingerprint",
    "Language",
    "LoginFailure",
    "Loop",
    "LoopEnd",
    "LoopPolicy",
    "MachineCode",
    "MaintenanceKind",
    "MaintenanceRun",
    "Note",
    "NoteAnchor",
    "NoteEntry",
    "NoteEntryKind",
    "NoteLabel",
    "NoteRead",
    "NotedText",
    "Operator",
    "Outcome",
    "Preference",
    "PreferenceChoice",
    "PreferenceWithdrawal",
    "Priority",
    "ProgramFingerprint",
    "Publication",
    "QueueFacet",
    "QueueItem",
    "QueueOrder",
    "Recipe",
    "RecipeVersion",
    "RefusedRow",
    "Release",
    "ReleaseRow",
    "Review",
    "ReviewClaim",
    "ReviewDraft",
    "ReviewQueue",
    "ReviewSkip",
    "ReviewWithdrawal",
    "RubricVersion",
    "RunKind",
    "Sample",
    "SampleBody",
    "SampleTag",
    "SampleVerdict",
    "SampleWithdrawal",
    "SavedView",
    "SecondFactor",
    "ShapeBand",
    "SkipReason",
    "Source",
    "Split",
    "StageChange",
    "Suggestion",
    "SuggestionAnswer",
    "SuggestionKind",
    "SuggestionReply",
    "SuggestionSource",
    "Synthesis",
    "TableExport",
    "Tag",
    "TagColour",
    "Task",
    "TaskBody",
    "TaskFinding",
    "TaskKind",
    "TaskSet",
    "TaskSetMember",
    "Verdict",
    "Verification",
    "VerificationReport",
    "Visibility",
    "WantedDevice",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
]
