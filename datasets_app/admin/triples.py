"""Sources, tasks and samples. Their texts are read-only, because ids are derived from them."""

from django.contrib import admin
from django.db.models import Model, QuerySet, URLField
from django.http import HttpRequest
from django.utils.safestring import SafeString

from datasets_app.admin.base import (
    NoAdd,
    ReadOnly,
    WorkbenchAdmin,
    count_column,
    preformatted,
    speedup_column,
)
from datasets_app.admin.export import TableExport
from datasets_app.export.tables import SAMPLES, TASKS
from datasets_app.models import (
    KernelFingerprint,
    Operator,
    ProgramFingerprint,
    Sample,
    SampleBody,
    SampleWithdrawal,
    Source,
    Task,
    TaskBody,
    TaskFinding,
)


class TaskBodyInline(ReadOnly, admin.StackedInline):
    model = TaskBody
    fields = readonly_fields = ("program", "extra")

    def program(self, body: TaskBody) -> SafeString | str:
        return preformatted(body.pytorch_code)


class TaskFindingInline(ReadOnly, admin.TabularInline):
    model = TaskFinding


class ProgramFingerprintInline(ReadOnly, admin.TabularInline):
    model = ProgramFingerprint


class KernelFingerprintInline(ReadOnly, admin.TabularInline):
    model = KernelFingerprint


class SampleBodyInline(ReadOnly, admin.StackedInline):
    model = SampleBody
    fields = readonly_fields = ("trace", "kernel", "feedback_text", "extra")

    def trace(self, body: SampleBody) -> SafeString | str:
        return preformatted(body.reasoning)

    def kernel(self, body: SampleBody) -> SafeString | str:
        return preformatted(body.kernel_code)

    @admin.display(description="feedback")
    def feedback_text(self, body: SampleBody) -> SafeString | str:
        return preformatted(body.feedback)


class FewEditable(NoAdd):
    """Shows all fields; those in `editable` can be changed."""

    editable: list[str] = []

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        fields = [*self.model._meta.fields, *self.model._meta.many_to_many]  # type: ignore[attr-defined]
        return [field.name for field in fields if field.name not in self.editable]


@admin.register(Source)
class SourceAdmin(WorkbenchAdmin):
    list_display = ["name", "licence", "url", "created_at"]
    list_filter = ["licence"]
    search_fields = ["name", "url", "licence"]
    formfield_overrides = {URLField: {"assume_scheme": "https"}}


@admin.register(Operator)
class OperatorAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["name"]
    search_fields = ["name"]


@admin.register(Task)
class TaskAdmin(FewEditable, TableExport, WorkbenchAdmin):
    table = TASKS
    list_display = ["name", "kind", "operator_count", "suite", "level", "problem", "source", "created_at"]
    list_filter = ["kind", "suite", "level", "source"]
    list_select_related = ["source"]
    search_fields = ["name", "external_id", "=id"]
    editable = ["name", "kind", "suite", "level", "problem", "external_id", "source"]
    autocomplete_fields = ["source"]
    inlines = [TaskBodyInline, TaskFindingInline, ProgramFingerprintInline]


@admin.register(Sample)
class SampleAdmin(FewEditable, TableExport, WorkbenchAdmin):
    table = SAMPLES
    list_display = [
        "task",
        "generator",
        "language",
        "source",
        count_column("trace_tokens", "trace, tokens"),
        speedup_column("claimed_speedup", "claimed"),
        speedup_column("measured_speedup", "measured"),
        "outcome",
        "verdict",
        "created_at",
    ]
    list_filter = ["outcome", "verdict", "language", "has_trace", "source"]
    list_select_related = ()  # a joined source makes planners sort all samples by it: see get_queryset
    search_fields = ["task__name", "generator", "external_id", "=id"]
    editable = ["generator", "external_id", "source", "claimed_speedup", "claimed_correct", "claimed_device"]
    autocomplete_fields = ["source"]
    inlines = [SampleBodyInline, KernelFingerprintInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Sample]:
        return super().get_queryset(request).prefetch_related("task", "source")


@admin.register(SampleWithdrawal)
class SampleWithdrawalAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["sample_id", "reason", "withdrawn_by", "created_at", "ended_at"]
    list_filter = [("ended_at", admin.EmptyFieldListFilter)]
    list_select_related = ["withdrawn_by"]
    search_fields = ["=sample__id", "reason"]
