"""The pages on which samples are withdrawn and brought back: one sample, or all that an ingest brought."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app import ingest as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.ingest.cancel import may_cancel
from datasets_app.models import Ingest, ReleaseRow, Sample, SampleWithdrawal
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.views.htmx import HtmxRequest


@require(Scope.CURATE, "GET", "POST")
def withdraw_sample(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Show what a withdrawal hides and a form for the reason, or withdraw; a refused reason comes back in the form."""
    sample = get_object_or_404(Sample.objects.select_related("task"), pk=pk)

    def act(reason: str) -> None:
        stage.withdraw_sample(sample, actor_of(request), reason)

    context = {
        "sample": sample,
        "withdrawal": SampleWithdrawal.objects.hiding(sample),
        "releases": releases_of(sample, actor_of(request)),
    }
    return form(request, "ingest/withdraw.html", context, act) or redirect(sample)


@require(Scope.CURATE, "POST")
def restore_sample(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample, pk=pk)
    stage.restore_sample(sample, actor_of(request))
    return redirect(sample)


@require(Scope.CURATE, "GET", "POST")
def undo_ingest(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    """Show which samples of an ingest would be withdrawn and which would stay and why, or withdraw them. While that is
    under way, show how far it is."""
    ingest = get_object_or_404(Ingest.objects.select_related("source"), pk=pk)

    def act(reason: str) -> None:
        stage.undo_ingest(ingest, actor_of(request), reason)

    run = stage.latest_run(ingest)
    busy = run is not None and not run.is_finished
    if request.htmx and busy:
        return render(request, "ingest/_undo_run.html", {"run": run})
    context = {
        "ingest": ingest,
        "run": run,
        "plan": None if busy else stage.undo_plan(ingest),
        "may_undo": ingest.is_finished and may_cancel(actor_of(request), ingest),
    }
    answer = form(request, "ingest/undo.html", context, act) or redirect("ingest-undo", pk)
    if request.htmx:  # the run has ended meanwhile: the whole page differs
        answer.headers["HX-Refresh"] = "true"
    return answer


@require(Scope.CURATE, "POST")
def restore_ingest(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest, pk=pk)
    try:
        stage.restore_ingest(ingest, actor_of(request))
    except stage.IngestError as error:
        messages.error(request, str(error))
    return redirect("ingest-undo", pk)


def form(
    request: HttpRequest, template: str, context: dict[str, Any], act: Callable[[str], None]
) -> HttpResponse | None:
    """Render the form, again with what was typed and the refusal if acting was refused; None once it was done."""
    status, refusal, reason = 200, "", request.POST.get("reason", "")
    if request.method == "POST":
        try:
            act(reason)
        except PermissionDenied as error:
            status, refusal = 403, str(error)
        except stage.WithdrawalError as error:
            status, refusal = 409 if error.is_conflict else 400, str(error)
        except stage.IngestError as error:
            status, refusal = 409, str(error)
        else:
            return None
    context |= {"refusal": refusal, "reason": reason, "longest_reason": LONGEST_REASON}
    return render(request, template, context, status=status)


def releases_of(sample: Sample, actor: Actor) -> Any:
    """Return the releases that hold the sample and that the actor may read; they stay as they are."""
    holding = ReleaseRow.objects.filter(sample=sample).order_by().values("release")
    return (
        readable_releases(actor)
        .filter(pk__in=holding)
        .defer("definition", "funnel", "counts")
        .order_by("name")
    )
