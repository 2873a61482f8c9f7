"""Pages of verifications and of the evidence that they give."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.ownership import may_cancel_verification
from datasets_app.accounts.roles import Scope
from datasets_app.models import MachineCode, Sample, Verification, VerificationReport, WantedDevice
from datasets_app.models.identity import is_uuid
from datasets_app.models.sample import SampleQuerySet
from datasets_app.views.htmx import HtmxRequest
from datasets_app.views.sample import number
from eval_app.pages import code_pairs, meanings
from eval_app.pages import machine_code as code_listings
from eval_app.pages.evidence_view import evidence_view_of
from eval_app.pages.history import history, logs_of
from eval_app.pages.listing import OUTCOMES, STATES, FilterError, VerificationFilter, page
from eval_app.pages.overview import overview
from eval_app.request import selection, verify
from eval_app.templatetags.evidence import evidence as sample_evidence
from eval_app.workers.fleet import Fleet

CHOICES = {
    "profiles": verify.PROFILE_NAMES,
    "devices": verify.DEVICE_CHOICES,
    "default_profile": verify.DEFAULT_PROFILE,
}


@require(Scope.READ)
def index(request: HtmxRequest) -> HttpResponse:
    """Show running and queued verifications, workers and outcomes; below, every verification by filter."""
    if request.htmx and request.htmx.target == "verify-live":
        return render(request, "verify/_live.html", overview())
    now = overview()
    return render(request, "verify/index.html", {**now, **CHOICES, **listed(request)})


def listed(request: HttpRequest) -> dict[str, Any]:
    """Return the list's filter and rows, or what is wrong with the filter."""
    names = {"outcome_names": OUTCOMES, "state_names": list(STATES)}
    try:
        chosen = VerificationFilter.from_params(request.GET)
        shown = page(chosen.queryset(), request.GET.get("cursor", ""))
    except FilterError as error:
        return {**names, "filter": VerificationFilter(), "filter_errors": error.errors.values()}
    stale = Sample.objects.stale().count()
    return {
        **names,
        "filter": chosen,
        "page": shown,
        "rows": history(shown.rows),
        "stale_count": stale,
    }


@require(Scope.READ)
def detail(request: HtmxRequest, pk: UUID) -> HttpResponse:
    """Show one verification; the page polls while it is unfinished."""
    rows = Verification.objects.for_list().select_related("report", "sample__source")
    verification = get_object_or_404(rows, pk=pk)
    keys = [("v", "Verify again", "[data-key=v]")]
    context: dict[str, Any] = {
        "verification": verification,
        "log": logs_of([verification])[verification.pk],
        "page_keys": keys,
        "may_cancel": may_cancel_verification(actor_of(request), verification.requested_by_id),
        **CHOICES,
    }
    if verification.state == "done":
        context |= {
            "evidence": evidence_view_of(verification),
            "changed": verification.environment.changed if verification.environment else "",
        }
    elif verification.state == "queued":
        context["reason"] = Fleet.read().waits_for(verification.wanted_device)
    if request.htmx and request.htmx.target == "progress":
        if not verification.is_finished:
            return render(request, "verify/_progress.html", context)
        return refreshed()
    return render(request, "verify/detail.html", context)


def refreshed() -> HttpResponse:
    """Tell htmx to reload the page, whose parts have changed."""
    response = HttpResponse()
    response["HX-Refresh"] = "true"
    return response


@require(Scope.READ)
def report(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """Return the engine's report as it was stored."""
    stored = get_object_or_404(VerificationReport, pk=pk)
    return JsonResponse(stored.whole(), json_dumps_params={"indent": 1})


@require(Scope.READ)
def machine_code(request: HttpRequest, pk: UUID, kind: str) -> HttpResponse:
    """Show SASS, PTX or assembly; `?against=` shows the difference from another run, `?raw` the plain text."""
    verification = get_object_or_404(Verification.objects.for_list(), pk=pk)
    line, row = number(request, "line"), number(request, "row")
    shown = code_listings.page(verification, kind, request.GET.get("against", ""), line, row)
    if shown is None:
        raise Http404(f"There is no {kind} of this verification, or of the one to compare with.")
    if "raw" in request.GET:
        return HttpResponse(shown.code.text, content_type="text/plain; charset=utf-8")
    return render(request, "verify/machine_code.html", {"verification": verification, "page": shown})


@require(Scope.READ)
def code_against(request: HttpRequest, pk: UUID, kind: str, other: UUID) -> HttpResponse:
    """Compare SASS, PTX or assembly of two samples; if one has none, say why and how to get it."""
    if kind not in MachineCode.Kind.values:
        raise Http404(f"There is no {kind}; there are {', '.join(MachineCode.Kind.values)}.")
    samples = Sample.objects.for_list()
    ours, theirs = get_object_or_404(samples, pk=pk), get_object_or_404(samples, pk=other)
    pair = code_pairs.pair(ours, theirs, kind, number(request, "row"))
    sides = [("Left", pair.theirs), ("Right", pair.ours)]
    return render(request, "verify/machine_pair.html", {"pair": pair, "sides": sides})


@require(Scope.READ)
def findings(request: HttpRequest) -> HttpResponse:
    """Show the meaning of every outcome and finding."""
    return render(
        request,
        "verify/findings.html",
        {
            "outcomes": {outcome.value: meaning for outcome, meaning in meanings.OUTCOMES.items()},
            "findings": meanings.FINDINGS,
            "labels": meanings.LABELS,
            "severities": meanings.SEVERITIES,
        },
    )


@require(Scope.READ)
def of_sample(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the evidence part of a sample's page, which htmx polls while a verification is unfinished."""
    return evidence_part(request, get_object_or_404(Sample, pk=pk))


def evidence_part(request: HttpRequest, sample: Sample) -> HttpResponse:
    return render(request, "verify/_evidence_live.html", sample_evidence({"request": request}, sample))


@require(Scope.ANNOTATE, "POST")
def ask(request: HtmxRequest) -> HttpResponse:
    """Verify the named samples (`sample`), or those of a query line (`query`)."""
    try:
        samples = chosen_samples(request)
        profile = request.POST.get("profile") or verify.DEFAULT_PROFILE
        device = request.POST.get("device") or verify.AUTO
        inspect = bool(request.POST.get("inspect"))
        rows = verify.request_verification(samples, profile, device, actor=actor_of(request), inspect=inspect)
    except verify.VerifyError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(back(request))
    if request.htmx and request.htmx.target == "evidence" and len(rows) == 1:
        return evidence_part(request, rows[0].sample)
    say_what_was_asked(request, rows)
    return HttpResponseRedirect(back(request, rows))


def chosen_samples(request: HttpRequest) -> SampleQuerySet:
    """Return the samples of the form. Raises VerifyError if none was chosen."""
    if ids := request.POST.getlist("sample"):
        return selection.samples_by_id(ids)
    if (query := request.POST.get("query")) is not None:
        return selection.samples_by_query(query)
    raise verify.VerifyError("Choose samples first: tick some, or type a query.")


def say_what_was_asked(request: HttpRequest, rows: list[Verification]) -> None:
    if not rows:
        messages.warning(request, "No sample matches; nothing was requested.")
        return
    fleet = Fleet.read()
    count = f"{len(rows):,} verifications wait" if len(rows) > 1 else "The verification waits"
    idle = [reason for kind in WantedDevice.values if (reason := idle_reason(fleet, kind, rows))]
    messages.success(request, ". ".join([f"{count} for a worker", *idle]) + ".")


def idle_reason(fleet: Fleet, kind: str, rows: list[Verification]) -> str:
    """Return how many of these rows no worker takes now, and why; empty if all are taken."""
    reason = fleet.waits_for(kind)
    count = sum(row.wanted_device == kind for row in rows)
    return (
        f"{count:,} of them {reason}".replace("waits", "wait" if count > 1 else "waits")
        if reason and count
        else ""
    )


def back(request: HttpRequest, rows: list[Verification] | None = None) -> str:
    """Return the page of the form, else the one row's page, else the batch."""
    if rows and len(rows) == 1:
        return next_page(request, rows[0].get_absolute_url())
    batch = rows[0].batch if rows else None
    return next_page(request, reverse("verify") + (f"?batch={batch}" if batch else ""))


@require(Scope.ANNOTATE, "POST")
def again(request: HttpRequest) -> HttpResponse:
    """Repeat the ticked verifications."""
    ids = request.POST.getlist("verification")
    rows = Verification.objects.for_list().filter(pk__in=[text for text in ids if is_uuid(text)])
    repeated = verify.retry(rows, actor=actor_of(request))
    if repeated:
        say_what_was_asked(request, repeated)
    else:
        messages.warning(request, "Tick the verifications to repeat.")
    return HttpResponseRedirect(back(request, repeated))


@require(Scope.ANNOTATE, "POST")
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Cancel a queued verification."""
    verification = get_object_or_404(Verification, pk=pk)
    if verify.cancel(verification, actor=actor_of(request)):
        messages.success(request, "Cancelled.")
    else:
        messages.warning(request, "A worker runs it already; only queued verifications can be cancelled.")
    return redirect(verification)
