"""Pages of verifications and of the evidence that they give."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import timezone

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.accounts.roles import Scope
from datasets_app.broker import is_answering
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.db.snapshot import read_snapshot
from datasets_app.models import MachineCode, Outcome, Sample, Verification, VerificationReport
from datasets_app.review import hidden_verdicts
from datasets_app.views.htmx import HtmxRequest
from datasets_app.views.sample import number
from eval_app.pages import code_pairs, counter_pair, meanings, terms
from eval_app.pages import machine_code as code_listings
from eval_app.pages.evidence_view import evidence_view_of
from eval_app.pages.history import history, logs_of
from eval_app.pages.listing import (
    STATES,
    FilterError,
    VerificationFilter,
    page,
    read_moment,
)
from eval_app.pages.overview import overview
from eval_app.pages.place import position_of
from eval_app.pages.preview import choices
from eval_app.pages.severities import gravest_meanings_first
from eval_app.templatetags.evidence import evidence as sample_evidence
from eval_app.workers.fleet import Fleet


@require(Scope.READ)
def index(request: HtmxRequest) -> HttpResponse:
    """Show running and queued verifications, workers, outcomes, and below every verification by filter.

    The parts that change are polled as one, from one snapshot of the database: tables above and below agree.
    """
    is_poll = bool(request.htmx) and request.htmx.target == "verify-live"
    parts: dict[str, Any] = {"broker_answers": is_answering()}
    actor = actor_of(request)
    with read_snapshot():
        parts |= listed(request, counts_newer=is_poll)
        batch = parts["filter"].batch
        parts |= overview(actor, UUID(batch) if batch else None)
        if not is_poll:
            parts |= {"stale_count": Sample.objects.stale().count(), **choices()}
    return render(request, "verify/_live.html" if is_poll else "verify/index.html", parts)


def listed(request: HttpRequest, *, counts_newer: bool) -> dict[str, Any]:
    """Return the list's filter and rows, or what is wrong with the filter.

    A page that polls keeps its rows (`until`) and counts the newer ones, so that nothing moves under a reader.
    """
    names = {"outcome_names": Outcome.choices, "state_names": list(STATES)}
    cursor = request.GET.get("cursor", "")
    try:
        chosen = VerificationFilter.from_params(request.GET)
        until = (
            read_moment(request.GET["until"]) if counts_newer and "until" in request.GET else timezone.now()
        )
        shown = page(chosen.queryset().filter(created_at__lte=until), cursor)
    except FilterError as error:
        return {**names, "filter": VerificationFilter(), "filter_errors": error.errors.values()}
    newer = chosen.queryset().filter(created_at__gt=until).count() if counts_newer and not cursor else 0
    return {
        **names,
        "filter": chosen,
        "page": shown,
        "rows": history(shown.rows),
        "newer": newer,
        "poll": urlencode(
            {**chosen.values, **({"cursor": cursor} if cursor else {}), "until": until.isoformat()}
        ),
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
        "may_cancel": may_withdraw(actor_of(request), verification.requested_by_id),
        **choices(),
    }
    if verification.state == "done":
        context |= {
            "evidence": evidence_view_of(verification),
            "changed": verification.environment.changed if verification.environment else "",
        }
    elif verification.state == "queued":
        context["reason"] = Fleet.read().waits_for(verification.wanted_device, verification.requirement)
        context["position"] = position_of(verification)
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
    """Compare counters, and SASS, PTX or assembly of two samples; if one has none, say why and how to get it."""
    if kind not in MachineCode.Kind.values:
        raise Http404(f"There is no {kind}; there are {', '.join(MachineCode.Kind.values)}.")
    samples = Sample.objects.for_list()
    ours, theirs = get_object_or_404(samples, pk=pk), get_object_or_404(samples, pk=other)
    pair = code_pairs.pair(ours, theirs, kind, number(request, "row"))
    sides = [("Left", pair.theirs), ("Right", pair.ours)]
    context = {"pair": pair, "sides": sides, "counters": counter_pair.counters_of(ours, theirs)}
    return render(request, "verify/machine_pair.html", context)


@require(Scope.READ)
def findings(request: HttpRequest) -> HttpResponse:
    """Show the meaning of every outcome and finding."""
    return render(
        request,
        "verify/findings.html",
        {
            "outcomes": {outcome.value: meaning for outcome, meaning in meanings.OUTCOMES.items()},
            "findings": gravest_meanings_first(meanings.FINDINGS),
            "labels": meanings.LABELS,
            "severities": meanings.SEVERITIES,
            "terms": terms.all_terms(),
        },
    )


@require(Scope.READ)
def of_sample(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Return the evidence part of a sample's page, which htmx polls while a verification is unfinished."""
    return evidence_part(request, get_object_or_404(Sample, pk=pk))


def evidence_part(request: HttpRequest, sample: Sample) -> HttpResponse:
    """Return the part, and with it what the head of the sample's page says, if the page that asks has one."""
    has_head = "head" in request.GET or "head" in request.POST
    context = sample_evidence({"request": request}, sample, head=has_head)
    response = render(request, "verify/_evidence_live.html", context)
    if has_head:
        response.write(render_to_string("sample/_head_evidence.html", head_of(request, sample), request))
    return response


def head_of(request: HttpRequest, sample: Sample) -> dict[str, Any]:
    hides = bool(hidden_verdicts(actor_of(request), [sample.pk]))
    return {"sample": sample, "evidence": evidence_of(sample), "hides_verdict": hides, "oob": True}
