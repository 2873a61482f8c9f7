"""Syntheses and their candidates. They are started and continued on their page, or by command."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import Candidate, Synthesis


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
