"""Suggestions on the review page, taken or dropped, and the page that compares their makers with people."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.models import Sample, SuggestionAnswer, SuggestionKind, SuggestionReply
from datasets_app.review import suggestions
from datasets_app.review.agreement import FEWEST_SAMPLES, RESAMPLES
from datasets_app.review.agreement.ratings import VERDICT
from datasets_app.review.form import typed_fields
from datasets_app.review.suggestions.report import MOST_SUGGESTIONS
from datasets_app.views.review import keep
from datasets_app.views.review_filter import read_queue


@require(Scope.ANNOTATE, "POST")
def answer(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Take or drop a suggestion. With a script the page fills its form; without one the draft carries what is typed."""
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    by_script = "application/json" in request.headers.get("Accept", "")
    try:
        given = replied(request, sample)
    except suggestions.SuggestionError as error:
        if by_script:
            return JsonResponse({"said": str(error)}, status=409)
        messages.warning(request, str(error))
        return back(request, sample, {})
    is_taken = given.reply != SuggestionReply.DROPPED
    fill = given.suggestion.fields() if is_taken and given.suggestion.kind == SuggestionKind.VERDICT else {}
    if by_script:
        return JsonResponse({"fill": fill, "said": said(given), "panel": panel(request, sample)})
    return back(request, sample, fill)


def replied(request: HttpRequest, sample: Sample) -> SuggestionAnswer:
    verb, name = (suggestions.take, "take") if "take" in request.POST else (suggestions.drop, "drop")
    try:
        wanted = uuid.UUID(request.POST.get(name, ""))
    except ValueError as error:
        raise BadRequest("Name the suggestion to take or to drop by its id.") from error
    return verb(sample, wanted, actor_of(request))


def said(given: SuggestionAnswer) -> str:
    if given.reply == SuggestionReply.DROPPED:
        return "Dropped."
    is_span = given.suggestion.kind == SuggestionKind.SPAN
    return "Taken: a note was written." if is_span else "Taken: check the form, then save."


def panel(request: HttpRequest, sample: Sample) -> str:
    """Return the suggestions as they are now, as HTML."""
    wanted, actor = read_queue(request), actor_of(request)
    context = {
        "sample": sample,
        "queue": wanted,
        "suggested": suggestions.offered(sample, actor, evidence_of(sample), wanted.blind),
    }
    return render_to_string("review/_suggestions.html", context, request)


def back(request: HttpRequest, sample: Sample, fill: dict[str, str]) -> HttpResponse:
    """Return to the review page, whose form opens with what was typed and with `fill`."""
    if fill or typed_fields(request.POST):
        try:
            keep(request, sample, fill)
        except stage.DraftConflictError:
            messages.warning(request, "Another page of yours has a newer draft of it: both texts are kept.")
    url = read_queue(request).url("review-sample", sample.pk)
    also = "also" in request.GET  # reviews it although somebody else has it open
    return HttpResponseRedirect(f"{url}{'&' if '?' in url else '?'}also=1" if also else url)


@require(Scope.CURATE)
def report(request: HttpRequest) -> HttpResponse:
    """Show for each maker and version how often it was taken, and how far it agrees with people."""
    context: dict[str, Any] = {
        "report": suggestions.suggestion_report(),
        "verdicts": VERDICT.values,
        "resamples": RESAMPLES,
        "fewest": FEWEST_SAMPLES,
        "most": MOST_SUGGESTIONS,
    }
    return render(request, "analysis/suggestions.html", context)
