"""The verify stage's pages: guard, act, answer."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from datasets_app.htmx import HtmxRequest
from datasets_app.models import Sample
from datasets_app.querysets import SampleQuerySet
from datasets_app.roles import Scope, require
from eval_app import code_pairs, meanings, selection, verify
from eval_app import machine_code as code_listings
from eval_app.evidence import evidence_of
from eval_app.fleet import Fleet
from eval_app.history import history, logs_of
from eval_app.listing import OUTCOMES, STATES, FilterError, VerificationFilter, is_uuid, page
from eval_app.models import MachineCode, Verification, VerificationReport, WantedDevice
from eval_app.overview import overview
from eval_app.staleness import Machines
from eval_app.templatetags.evidence import evidence as sample_evidence

CHOICES = {
    "profiles": verify.PROFILE_NAMES,
    "devices": verify.DEVICE_CHOICES,
    "default_profile": verify.DEFAULT_PROFILE,
}


def index(request: HtmxRequest) -> HttpResponse:
    """What runs and waits, which machines verify, how it ended; below, every verification by filter."""
    if request.htmx and request.htmx.target == "verify-live":
        return render(request, "verify/_live.html", overview())
    now = overview()
    return render(request, "verify/index.html", {**now, **CHOICES, **listed(request, now["fleet"])})


def listed(request: HttpRequest, fleet: Fleet) -> dict[str, Any]:
    """The list below: its filter and the rows that it finds, or what is wrong with the filter."""
    names = {"outcome_names": OUTCOMES, "state_names": list(STATES)}
    try:
        chosen = VerificationFilter.from_params(request.GET)
        found = page(chosen.queryset(), request.GET.get("cursor", ""))
    except FilterError as error:
        return {**names, "filter": VerificationFilter(), "filter_errors": error.errors.values()}
    stale = Sample.objects.stale().count()
    return {
        **names,
        "filter": chosen,
        "page": found,
        "rows": history(found.rows, fleet),
        "stale_count": stale,
    }


def detail(request: HtmxRequest, pk: UUID) -> HttpResponse:
    """One verification; while it is unfinished the page asks for its state again and again."""
    rows = Verification.objects.for_list().select_related("report", "sample__source")
    one = get_object_or_404(rows, pk=pk)
    keys = [("v", "Verify again", "[data-key=v]")]
    context: dict[str, Any] = {
        "verification": one,
        "log": logs_of([one])[one.pk],
        "page_keys": keys,
        **CHOICES,
    }
    if one.state == "done":
        context |= {"evidence": evidence_of(one), "changed": Machines(Fleet.read()).changes(one.environment)}
    elif one.state == "queued":
        context["reason"] = Fleet.read().waits_for(one.wanted_device)
    if request.htmx and request.htmx.target == "progress":
        if not one.is_finished:
            return render(request, "verify/_progress.html", context)
        return refreshed()
    return render(request, "verify/detail.html", context)


def refreshed() -> HttpResponse:
    """Tell htmx to load the whole page: what it watched has changed its shape."""
    response = HttpResponse()
    response["HX-Refresh"] = "true"
    return response


def report(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The engine's report as it was stored."""
    stored = get_object_or_404(VerificationReport, pk=pk)
    return JsonResponse(stored.whole(), json_dumps_params={"indent": 1})


def machine_code(request: HttpRequest, pk: UUID, kind: str) -> HttpResponse:
    """SASS, PTX or assembly; `?against=` shows what differs from another verification's, `?raw` the text as it came."""
    one = get_object_or_404(Verification.objects.for_list(), pk=pk)
    shown = code_listings.page(one, kind, request.GET.get("against", ""))
    if shown is None:
        raise Http404(f"There is no {kind} of this verification, or none of the one to compare with.")
    if "raw" in request.GET:
        return HttpResponse(shown.code.text, content_type="text/plain; charset=utf-8")
    return render(request, "verify/machine_code.html", {"verification": one, "page": shown})


def code_against(request: HttpRequest, pk: UUID, kind: str, other: UUID) -> HttpResponse:
    """SASS, PTX or assembly of one sample against another's; where one has none, why and how to have it."""
    if kind not in MachineCode.Kind.values:
        raise Http404(f"There is no {kind}; there are {', '.join(MachineCode.Kind.values)}.")
    samples = Sample.objects.for_list()
    ours, theirs = get_object_or_404(samples, pk=pk), get_object_or_404(samples, pk=other)
    found = code_pairs.pair(ours, theirs, kind)
    sides = [("Left", found.theirs), ("Right", found.ours)]
    return render(request, "verify/machine_pair.html", {"pair": found, "sides": sides})


def findings(request: HttpRequest) -> HttpResponse:
    """What every outcome and every finding means."""
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


def of_sample(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The evidence part of a sample's page, for htmx while something is unfinished."""
    sample = get_object_or_404(Sample, pk=pk)
    return render(request, "verify/_evidence_live.html", sample_evidence({"request": request}, sample))


@require_POST
@require(Scope.ANNOTATE)
def ask(request: HtmxRequest) -> HttpResponse:
    """Verify the samples that are named (`sample`), or those of a typed line (`query`)."""
    try:
        samples = chosen_samples(request)
        profile = request.POST.get("profile") or verify.DEFAULT_PROFILE
        device = request.POST.get("device") or verify.AUTO
        inspect = bool(request.POST.get("inspect"))
        rows = verify.request_verification(samples, profile, device, request.user, inspect=inspect)
    except verify.VerifyError as error:
        messages.error(request, str(error))
        return redirect(back(request))
    if request.htmx and request.htmx.target == "evidence" and len(rows) == 1:
        return of_sample(request, rows[0].sample_id)
    say_what_was_asked(request, rows)
    return redirect(back(request, rows))


def chosen_samples(request: HttpRequest) -> SampleQuerySet:
    """Raises VerifyError where nothing was chosen."""
    if ids := request.POST.getlist("sample"):
        return selection.samples_by_id(ids)
    if (query := request.POST.get("query")) is not None:
        return selection.samples_by_query(query)
    raise verify.VerifyError("Choose samples first: tick some, or type a query.")


def say_what_was_asked(request: HttpRequest, rows: list[Verification]) -> None:
    if not rows:
        messages.warning(request, "No sample matches; nothing was asked for.")
        return
    fleet = Fleet.read()
    count = f"{len(rows):,} verifications wait" if len(rows) > 1 else "The verification waits"
    idle = [reason for kind in WantedDevice.values if (reason := idle_reason(fleet, kind, rows))]
    messages.success(request, ". ".join([f"{count} for a worker", *idle]) + ".")


def idle_reason(fleet: Fleet, kind: str, rows: list[Verification]) -> str:
    """How many of these rows nobody takes now, and why; empty where all are taken."""
    reason = fleet.waits_for(kind)
    count = sum(row.wanted_device == kind for row in rows)
    return (
        f"{count:,} of them {reason}".replace("waits", "wait" if count > 1 else "waits")
        if reason and count
        else ""
    )


def back(request: HttpRequest, rows: list[Verification] | None = None) -> str:
    """Where the form came from, else the one row's page, else the batch."""
    target = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        return target
    if rows and len(rows) == 1:
        return rows[0].get_absolute_url()
    batch = rows[0].batch if rows else None
    return reverse("verify") + (f"?batch={batch}" if batch else "")


@require_POST
@require(Scope.ANNOTATE)
def again(request: HttpRequest) -> HttpResponse:
    """Ask again for ticked verifications."""
    ids = request.POST.getlist("verification")
    rows = Verification.objects.for_list().filter(pk__in=[text for text in ids if is_uuid(text)])
    asked = verify.retry(rows, request.user)
    if asked:
        say_what_was_asked(request, asked)
    else:
        messages.warning(request, "Tick the verifications to ask for again.")
    return redirect(back(request, asked))


@require_POST
@require(Scope.ANNOTATE)
def cancel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take back one that waits."""
    one = get_object_or_404(Verification, pk=pk)
    if verify.cancel(one, request.user):
        messages.success(request, "Cancelled; no worker will take it.")
    else:
        messages.warning(request, "A worker has it already, so it runs to its end.")
    return redirect(one)
