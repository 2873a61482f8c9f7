"""Reviews, drafts and claims. Reviews are read-only; a forgotten claim can be deleted."""

from django.contrib import admin
from django.utils import timezone

from datasets_app.admin.base import NoChange, ReadOnly, WorkbenchAdmin
from datasets_app.models import Review, ReviewClaim, ReviewDraft
from datasets_app.review.rubric import CRITERIA

OF_SAMPLE = ["reviewer", "sample__task"]


@admin.register(Review)
class ReviewAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task", "generator", "reviewer", "verdict", *CRITERIA, "created_at"]
    list_filter = ["verdict", *CRITERIA, ("reviewer", admin.RelatedOnlyFieldListFilter)]
    list_select_related = OF_SAMPLE
    search_fields = ["sample__task__name", "reviewer__username", "comment", "=sample__id"]
    date_hierarchy = "created_at"

    def task(self, review: Review) -> str:
        return review.sample.task.name

    def generator(self, review: Review) -> str:
        return review.sample.generator


@admin.register(ReviewClaim)
class ReviewClaimAdmin(NoChange, WorkbenchAdmin):
    list_display = ["task", "reviewer", "expires_at", "lasts"]
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
