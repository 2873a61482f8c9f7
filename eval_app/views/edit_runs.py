"""The evidence of one run of an edit's text, which is no sample and has no page among the verifications."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import JobState, Verification
from eval_app.pages.evidence_view import evidence_view_of
from eval_app.pages.history import logs_of

TEXTS = "edit_version__edit__base"  # of which the version's text was made


@require(Scope.READ)
def detail(request: HttpRequest, pk: int, run: UUID) -> HttpResponse:
    """Show what a finished run found. The edit's page follows it until then; once accepted, it has a sample."""
    rows = Verification.runs.select_related(
        "report", "environment", "edit_version__edit__author", f"{TEXTS}__body", f"{TEXTS}__task__body"
    )
    row = get_object_or_404(rows, pk=run, edit_version__edit=pk)
    version = row.edit_version
    assert version is not None  # the query asked for it
    if row.sample_id or row.state != JobState.DONE:
        return HttpResponseRedirect(
            row.get_absolute_url() if row.sample_id else version.edit.get_absolute_url()
        )
    row.sample = row.subject()  # not stored: the view reads what its source claims of it
    context = {
        "edit": version.edit,
        "version": version,
        "base": version.edit.base,
        "verification": row,
        "evidence": evidence_view_of(row, []),
        "changed": row.environment.changed if row.environment else "",
        "log": logs_of([row])[row.pk],
    }
    return render(request, "edits/run.html", context)
