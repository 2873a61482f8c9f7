"""Reviews, drafts, claims, notes and suggestions: read-only, but a forgotten claim can be deleted."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from datasets_app.admin.base import NoChange, ReadOnly, WorkbenchAdmin
from datasets_app.admin.export import TableExport
from datasets_app.export.tables import REVIEWS
from datasets_app.models import (
    Honeypot,
    Note,
    NoteAnchor,
    NoteEntry,
    NoteRead,
    Preference,
    PreferenceWithdrawal,
    QueueItem,
    Review,
    ReviewClaim,
    ReviewDraft,
    ReviewQueue,
    ReviewSkip,
    ReviewWithdrawal,
    RubricVersion,
    Suggestion,
    SuggestionAnswer,
)

OF_SAMPLE = ["reviewer", "sample__task"]


@admin.register(Review)
class ReviewAdmin(ReadOnly, TableExport, WorkbenchAdmin):
    table = REVIEWS
    list_display = [
        "task",
        "generator",
        "reviewer",
        "verdict",
        "scores",
        "reasons",
        "rubric",
        "active_s",
        "created_at",
    ]
    list_filter = ["verdict", "rubric", ("reviewer", admin.RelatedOnlyFieldListFilter)]
    list_select_related = [*OF_SAMPLE, "rubric"]
    search_fields = ["sample__task__name", "reviewer__username", "comment", "=sample__id"]
    date_hierarchy = "created_at"

    def task(self, review: Review) -> str:
        return review.sample.task.name

    def generator(self, review: Review) -> str:
        return review.sample.generator


@admin.register(Honeypot)
class HoneypotAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "answer", "family", "created_at"]
    list_filter = ["answer", "family"]
    list_select_related = ["sample__task"]
    search_fields = ["sample__task__name", "explanation", "=sample__id"]

    def task(self, honeypot: Honeypot) -> str:
        return honeypot.sample.task.name


@admin.register(RubricVersion)
class RubricVersionAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["number", "note", "created_by", "created_at"]
    list_select_related = ["created_by"]
    search_fields = ["note", "guidelines"]


@admin.register(ReviewWithdrawal)
class ReviewWithdrawalAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["review", "withdrawn_by", "reason", "created_at"]
    list_select_related = ["review", "withdrawn_by"]
    search_fields = ["withdrawn_by__username", "reason"]
    date_hierarchy = "created_at"


@admin.register(ReviewClaim)
class ReviewClaimAdmin(NoChange, WorkbenchAdmin):
    list_display = ["task", "reviewer", "slot", "expires_at", "lasts"]
    list_select_related = OF_SAMPLE
    search_fields = ["sample__task__name", "reviewer__username"]

    def task(self, claim: ReviewClaim) -> str:
        return claim.sample.task.name

    @admin.display(boolean=True)
    def lasts(self, claim: ReviewClaim) -> bool:
        return claim.expires_at > timezone.now()


@admin.register(ReviewDraft)
class ReviewDraftAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "reviewer", "updated_at", "skipped_at"]
    list_select_related = OF_SAMPLE
    search_fields = ["sample__task__name", "reviewer__username"]

    def task(self, draft: ReviewDraft) -> str:
        return draft.sample.task.name


@admin.register(ReviewQueue)
class ReviewQueueAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["name", "state", "overlap", "policy", "deadline", "created_by", "opened_at", "closed_at"]
    list_filter = ["order", "policy", "blind"]
    list_select_related = ["created_by"]
    search_fields = ["name", "words"]
    date_hierarchy = "created_at"


@admin.register(QueueItem)
class QueueItemAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["queue", "position", "task", "is_open"]
    list_filter = ["is_open", "queue"]
    list_select_related = ["queue", "sample__task"]
    search_fields = ["queue__name", "sample__task__name", "=sample__id"]

    def task(self, item: QueueItem) -> str:
        return item.sample.task.name


@admin.register(ReviewSkip)
class ReviewSkipAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "reviewer", "queue", "reason", "words", "created_at"]
    list_filter = ["reason", "queue"]
    list_select_related = [*OF_SAMPLE, "queue"]
    search_fields = ["sample__task__name", "reviewer__username", "words"]
    date_hierarchy = "created_at"

    def task(self, skip: ReviewSkip) -> str:
        return skip.sample.task.name


class NoteAnchorInline(ReadOnly, admin.TabularInline):
    model = NoteAnchor
    fields = ["position", "text", "start", "end", "digest", "quote"]


class NoteReadInline(ReadOnly, admin.TabularInline):
    model = NoteRead


class NoteEntryInline(ReadOnly, admin.TabularInline):
    model = NoteEntry
    fields = ["number", "kind", "author", "text", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[NoteEntry]:
        return super().get_queryset(request).select_related("author")


@admin.register(Note)
class NoteAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "author", "label", "created_at"]
    list_filter = ["label", ("author", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["author", "sample__task"]
    search_fields = ["sample__task__name", "author__username", "=sample__id"]
    date_hierarchy = "created_at"
    inlines = [NoteAnchorInline, NoteEntryInline, NoteReadInline]

    def task(self, note: Note) -> str:
        return note.sample.task.name


@admin.register(Suggestion)
class SuggestionAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "source", "maker", "version", "verdict", "label", "created_at", "withdrawn_at"]
    list_filter = ["source", "kind", "verdict"]
    list_select_related = ["sample__task"]
    search_fields = ["sample__task__name", "maker", "=sample__id"]
    date_hierarchy = "created_at"

    def task(self, suggestion: Suggestion) -> str:
        return suggestion.sample.task.name


@admin.register(SuggestionAnswer)
class SuggestionAnswerAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["suggestion", "reviewer", "reply", "agreed", "shown_at", "answered_at"]
    list_filter = ["reply", "agreed"]
    list_select_related = ["suggestion", "reviewer"]
    search_fields = ["suggestion__maker", "reviewer__username"]
    date_hierarchy = "shown_at"


@admin.register(Preference)
class PreferenceAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "left_id", "right_id", "choice", "reviewer", "created_at"]
    list_filter = ["choice", ("reviewer", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["task", "reviewer"]
    search_fields = ["task__name", "reviewer__username", "=left__id", "=right__id"]
    date_hierarchy = "created_at"


@admin.register(PreferenceWithdrawal)
class PreferenceWithdrawalAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["preference", "withdrawn_by", "reason", "created_at"]
    list_select_related = ["preference", "withdrawn_by"]
    search_fields = ["withdrawn_by__username", "reason"]
    date_hierarchy = "created_at"
