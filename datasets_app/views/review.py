"""The review pages: the queue, and one sample beside its rubric."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import reverse

from datasets_app import review as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.db.some_rows import models_with_rows
from datasets_app.models import (
    Assignment,
    Honeypot,
    Review,
    ReviewClaim,
    ReviewDraft,
    ReviewQueue,
    Sample,
)
from datasets_app.review import queues
from datasets_app.review.candidates import live_claims
from datasets_app.review.drafts import discard_text, use_text
from datasets_app.review.form import ReviewForm, posted_form, typed_fields
from datasets_app.review.honeypots import miss_rates, told_after
from datasets_app.review.rubric import is_outdated
from datasets_app.views.review_answers import onward, same_person, saved, stays
from datasets_app.views.review_filter import Queue, read_queue
from datasets_app.views.review_page import page
from datasets_app.views.review_queues import queue_rows

STANDING = ("has_trace", "verified_at")  # columns of a sample that a draft and a heartbeat depend on
# What is beside a queue at some times only.
SELDOM: dict[type[Model], str] = {
    **dict.fromkeys((ReviewQueue, Assignment, Honeypot, ReviewClaim), ""),
    **dict.fromkeys((Review, ReviewDraft), "reviewer_id = %(reader)s"),
}
SHOWN = 10  # rows of each short list beside the queue


@require(Scope.ANNOTATE)
def queue(request: HttpRequest) -> HttpResponse:
    """Show the number of samples to review, who is reviewing, and the button for the next sample."""
    wanted = read_queue(request)
    if "query" in request.GET and not wanted.errors:
        return HttpResponseRedirect(wanted.url("review"))
    me: Any = request.user
    some = models_with_rows(SELDOM, reader=me.pk)
    done = reviews_of(me) if Review in some else []
    newest = done[0] if done else None
    context = {
        "queue": wanted,
        **queue_rows(request, some),
        "progress": stage.progress(me, wanted.chosen),
        "claims": claims_now() if ReviewClaim in some else [],
        "drafts": drafts_of(me) if ReviewDraft in some else [],
        "done": done,
        "may_undo": stage.may_undo(newest),
        "day": stage.day_of(me) if newest and newest.created_at >= stage.midnight() else None,
        "misses": next(iter(miss_rates(me)), None) if Honeypot in some else None,
        "page_keys": [("n", "Next sample")],
    }
    return render(request, "review/queue.html", context, status=400 if wanted.errors else 200)


def claims_now() -> list[ReviewClaim]:
    return few(live_claims().select_related("reviewer").order_by("expires_at"))


def drafts_of(reviewer: Any) -> list[ReviewDraft]:
    return few(ReviewDraft.objects.filter(reviewer=reviewer).order_by("-updated_at"))


def reviews_of(reviewer: Any) -> list[Review]:
    return few(Review.objects.votes().with_rubric().filter(reviewer=reviewer))


def few(rows: QuerySet[Any]) -> list[Any]:
    """Return the first rows with their samples, read separately: with a join, planners may start from all tasks."""
    return list(rows.prefetch_related("sample__task")[:SHOWN])


@require(Scope.ANNOTATE, "POST")
def take_next(request: HttpRequest) -> HttpResponse:
    return to_next(request, read_queue(request))


def to_next(request: HttpRequest, wanted: Queue) -> HttpResponse:
    try:
        sample = next_of(actor_of(request), wanted)
    except queues.QueueError as error:
        messages.warning(request, str(error))
        return HttpResponseRedirect(reverse("review"))
    if sample is None:
        way_out = "choose another queue" if wanted.stored else "widen the filter"
        messages.info(request, f"No sample in this queue is available: {way_out}, or come back later.")
        return HttpResponseRedirect(wanted.home)
    return HttpResponseRedirect(wanted.url("review-sample", sample.pk))


def next_of(actor: Actor, wanted: Queue) -> Sample | None:
    return (
        queues.next_in_queue(wanted.stored, actor)
        if wanted.stored
        else stage.next_sample(actor, wanted.chosen)
    )


@require(Scope.ANNOTATE, "GET", "POST")
@same_person
def review_sample(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    wanted = read_queue(request)
    if request.method == "POST":
        return submit(request, get_object_or_404(Sample.objects.only("has_trace"), pk=pk), wanted)
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    holder, refusal = (None, "") if "also" in request.GET else taken(sample, actor_of(request))
    return page(request, sample, wanted, holder=holder, refusal=refusal)


def submit(request: HttpRequest, sample: Sample, wanted: Queue) -> HttpResponse:
    form = posted_form(sample, request.POST)
    if not form.is_valid():
        lost = bool({"key", "seen"} & set(form.errors))
        form = form.renewed(seen_now(request, sample, wanted), new_key=True) if lost else form
        faults = " ".join(str(one) for errors in form.errors.values() for one in errors)
        return again(request, sample, wanted, form, status=400, lost=lost, not_saved=faults)
    given = form.cleaned_data
    try:
        review = stage.submit_review(
            sample,
            actor_of(request),
            given["verdict"],
            form.scores(),
            given["comment"],
            given["key"],
            given["seen"],
            given["draft"] or 0,
            form.reasons_given(),
            form.rubric,
            given["active_s"],
        )
    except stage.ReviewError as error:
        for name, sentence in error.errors.items():
            form.add_error(name, sentence)
        return again(request, sample, wanted, form, status=400, not_saved=str(error))
    except stage.RubricChangedError as error:
        return again(request, sample, wanted, form, status=409, not_saved=str(error))
    except stage.NoSlotError as error:
        return again(request, sample, wanted, form, status=409, no_slot=str(error), not_saved=str(error))
    except (stage.ChangedSinceError, stage.KeyReusedError) as error:
        return conflict(request, sample, wanted, form, error)
    return saved(request, wanted, told_after(review), to_next)


def conflict(
    request: HttpRequest, sample: Sample, wanted: Queue, form: ReviewForm, error: Exception
) -> HttpResponse:
    """Show what changed meanwhile beside the typed review: nothing is stored, and nothing is lost."""
    now = seen_now(request, sample, wanted)
    form = form.renewed(now, new_key=isinstance(error, stage.KeyReusedError))
    return again(request, sample, wanted, form, status=409, conflict=error, not_saved=str(error))


def seen_now(request: HttpRequest, sample: Sample, wanted: Queue) -> stage.Seen:
    judgements = stage.Judgements.of(sample)
    return judgements.seen_by(request.user, wanted.beside(judgements.queue).blind)


def again(
    request: HttpRequest, sample: Sample, wanted: Queue, form: ReviewForm, status: int, **more: Any
) -> HttpResponse:
    """Show a refused form with its sample, whose texts a save that succeeds never reads."""
    return page(request, Sample.objects.with_body().get(pk=sample.pk), wanted, form, status, **more)


def taken(sample: Sample, actor: Actor) -> tuple[ReviewClaim | None, str]:
    """Claim the sample for this reviewer, or return the claim of whoever has it open already, or why it is refused."""
    try:
        stage.claim(sample, actor)
    except stage.ClaimedError as error:
        return error.claim, ""
    except stage.NoSlotError as error:
        return None, str(error)
    return None, ""


@require(Scope.ANNOTATE, "POST")
@same_person
def skip(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample, pk=pk)
    told = kept_words(request, sample) if typed_fields(request.POST) else ""
    try:
        stage.skip(
            sample, actor_of(request), request.POST.get("skip_reason", ""), request.POST.get("skip_words", "")
        )
    except stage.SkipError as error:
        form = posted_form(sample, request.POST)
        return page(request, sample, read_queue(request), form, status=400, skip_fault=str(error))
    if stays(request):
        return JsonResponse({"skipped": True, "told": told})
    if told:
        messages.warning(request, told)
    return onward(request, to_next(request, read_queue(request)))


def kept_words(request: HttpRequest, sample: Sample) -> str:
    """Keep what was typed, and return what its writer has to know about that; empty if nothing."""
    try:
        keep(request, sample)
    except stage.DraftConflictError:
        return "Another page of yours has a newer draft of that sample: both texts are kept."
    return ""


def keep(request: HttpRequest, sample: Sample, fill: Mapping[str, str] | None = None) -> ReviewDraft | None:
    """Save the page's form, with `fill` over what was typed, as the draft of the version that the page has seen."""
    form = posted_form(sample, request.POST)
    form.is_valid()
    given, fields = form.cleaned_data, typed_fields({**request.POST.dict(), **(fill or {})}, form.rubric)
    return stage.save_draft(sample, actor_of(request), fields, given.get("key"), given.get("draft") or 0)


@require(Scope.ANNOTATE, "POST")
@same_person
def draft(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """Save the draft, renew the claim, and report what changed meanwhile."""
    sample = get_object_or_404(Sample.objects.only(*STANDING), pk=pk)
    try:
        kept = keep(request, sample)
    except stage.DraftConflictError as error:
        context = {"sample": sample, "draft": error.draft, "in_form": False, "here": request.POST.get("key")}
        context["queue"] = read_queue(request)
        panel = render_to_string("review/_texts.html", context, request)
        body = {"saved": False, "kept": error.kept, "panel": panel, **standing(request, sample)}
        return JsonResponse(body, status=409)
    version = kept.version if kept else 0
    return JsonResponse({"saved": kept is not None, "version": version, **standing(request, sample)})


@require(Scope.ANNOTATE, "POST")
def other_text(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Exchange the draft for a text that was set aside, or discard that text."""
    sample = get_object_or_404(Sample, pk=pk)
    name, discards = request.POST.get("text", ""), "discard" in request.POST
    change = discard_text if discards else use_text
    if not change(sample, actor_of(request), name):
        messages.warning(request, "That text is no longer there: it was used or discarded on another page.")
    return HttpResponseRedirect(read_queue(request).url("review-sample", sample.pk))


@require(Scope.ANNOTATE, "POST")
@same_person
def heartbeat(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """Renew the claim, and report what changed meanwhile."""
    return JsonResponse(standing(request, get_object_or_404(Sample.objects.only(*STANDING), pk=pk)))


def standing(request: HttpRequest, sample: Sample) -> dict[str, Any]:
    held, refusal = taken(sample, actor_of(request))
    try:
        seen = stage.Seen.parse(request.POST.get("seen", ""))
        judgements = stage.Judgements.of(sample, to_show=False)
        changed = judgements.changes_since(actor_of(request), seen) is not None
    except stage.ReviewError:
        changed = False  # saving will report the missing value
    outdated = is_outdated(request.POST.get("rubric"))
    return {"holder": str(held.reviewer) if held else "", "changed": changed or outdated or bool(refusal)}
