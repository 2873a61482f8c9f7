"""Syntheses, their candidates and loops, and evaluation runs: started and frozen on their pages, or by command."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import Candidate, EvaluationRun, Loop, Synthesis, TaskSet, TaskSetMember


@admin.register(Synthesis)
class SynthesisAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "name",
        "model",
        "endpoint",
        "template",
        "state",
        "per_task",
        "created_by",
        "created_at",
        "stopped",
    ]
    list_filter = ["state", "endpoint"]
    list_select_related = ["created_by"]
    search_fields = ["name", "model"]
    date_hierarchy = "created_at"


@admin.register(Candidate)
class CandidateAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "id",
        "synthesis",
        "task",
        "number",
        "state",
        "reason",
        "answer_tokens",
        "tries",
        "sample",
    ]
    list_filter = ["state", "reason"]
    list_select_related = ["synthesis", "task", "sample__task"]
    search_fields = ["synthesis__name", "task__name", "detail"]
    exclude = ["answer"]


@admin.register(Loop)
class LoopAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "first",
        "policy",
        "state",
        "ended_by",
        "current",
        "most_turns",
        "created_by",
        "created_at",
    ]
    list_filter = ["state", "policy", "ended_by"]
    list_select_related = ["first", "current", "created_by"]
    search_fields = ["first__name"]


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["name", "kind", "source", "task_set", "generator", "device", "profile", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["source", "task_set"]
    search_fields = ["name", "generator"]


@admin.register(TaskSet)
class TaskSetAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["sha256", "size", "created_at"]


@admin.register(TaskSetMember)
class TaskSetMemberAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task_set", "task"]
    list_select_related = ["task_set", "task"]
    raw_id_fields = ["task"]
