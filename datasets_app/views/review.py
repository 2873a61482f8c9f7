"""The review pages: the queue, and one sample beside its rubric."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string

from datasets_app import review as stage
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.models import Review, ReviewClaim, ReviewDraft, Sample
from datasets_app.review.candidates import live_claims
from datasets_app.review.drafts import discard_text, use_text
from datasets_app.review.form import ReviewForm, fields_of, opened, typed_fields
from datasets_app.review.rubric import RUBRIC, VERDICTS
from datasets_app.views.review_filter import Queue, read_queue

SHOWN = 10  # rows of each short list beside the queue
KEYS = [
    *((choice.key, choice.title) for choice in VERDICTS),
    ("1 to 5", "Score the marked criterion; 0 takes the score back"),
    *((criterion.key, f"Mark {criterion.title.lower()}") for criterion in RUBRIC),
    ("m", "Write the comment; Esc leaves it"),
    ("s", "Save and next (in the comment: Ctrl Enter)"),
    ("u", "Undo: reopen your last review"),
    ("x", "Skip for now; what you typed is kept"),
    ("/", "Find in the three texts; Enter and Shift+Enter step, Esc ends", "[data-find]"),
    ("[ t ]", "Fold or unfold program, trace, kernel"),
    ("← →", "On a bar between panes: move it; Home evens out", "[data-split]"),
    ("w", "Wrap long lines"),
    ("y", "The panes follow the one that you scroll", "[data-follow]:not([hidden])"),
]


@require(Scope.ANNOTATE)
def queue(request: HttpRequest) -> HttpResponse:
    """Show the number of samples to review, who is reviewing, and the button for the next sample."""
    wanted = read_queue(request)
    if "query" in request.GET and not wanted.errors:
        return HttpResponseRedirect(wanted.url("review"))
    me: Any = request.user
    context = {
        "queue": wanted,
        "progress": stage.progress(me, wanted.chosen),
        "claims": few(live_claims().select_related("reviewer").order_by("expires_at")),
        "drafts": few(ReviewDraft.objects.filter(reviewer=me).order_by("-updated_at")),
        "done": few(Review.objects.filter(reviewer=me)),
        "page_keys": [("n", "Next sample")],
    }
    return render(request, "review/queue.html", context, status=400 if wanted.errors else 200)


def few(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the first rows with their samples, read separately: with a join, planners may start from all tasks."""
    return rows.prefetch_related("sample__task")[:SHOWN]


@require(Scope.ANNOTATE, "POST")
def take_next(request: HttpRequest) -> HttpResponse:
    return to_next(request, read_queue(request))


def to_next(request: HttpRequest, wanted: Queue) -> HttpResponse:
    sample = stage.next_sample(actor_of(request), wanted.chosen)
    if sample is None:
        messages.info(request, "No sample in this queue is available: widen the filter, or come back later.")
        return HttpResponseRedirect(wanted.url("review"))
    return HttpResponseRedirect(wanted.url("review-sample", sample.pk))


@require(Scope.ANNOTATE, "GET", "POST")
def review_sample(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    wanted = read_queue(request)
    if request.method == "POST":
        return submit(request, sample, wanted)
    holder = None if "also" in request.GET else holder_of(sample, actor_of(request))
    return page(request, sample, wanted, holder=holder)


def submit(request: HttpRequest, sample: Sample, wanted: Queue) -> HttpResponse:
    form = ReviewForm(sample, request.POST)
    if not form.is_valid():
        lost = bool({"key", "seen"} & set(form.errors))
        form = form.renewed(stage.look(sample, request.user, wanted.blind), new_key=True) if lost else form
        return page(request, sample, wanted, form, status=400, lost=lost)
    given = form.cleaned_data
    try:
        stage.submit_review(
            sample,
            actor_of(request),
            given["verdict"],
            form.scores(),
            given["comment"],
            given["key"],
            given["seen"],
            given["draft"] or 0,
        )
    except stage.ReviewError as error:
        for name, sentence in error.errors.items():
            form.add_error(name, sentence)
        return page(request, sample, wanted, form, status=400)
    except (stage.ChangedSinceError, stage.KeyReusedError) as error:
        return conflict(request, sample, wanted, form, error)
    return to_next(request, wanted)


def conflict(
    request: HttpRequest, sample: Sample, wanted: Queue, form: ReviewForm, error: Exception
) -> HttpResponse:
    """Show what changed meanwhile beside the typed review: nothing is stored, and nothing is lost."""
    now = stage.look(sample, request.user, wanted.blind)
    form = form.renewed(now, new_key=isinstance(error, stage.KeyReusedError))
    return page(request, sample, wanted, form, status=409, conflict=error)


def page(
    request: HttpRequest,
    sample: Sample,
    wanted: Queue,
    form: ReviewForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Show the sample beside its rubric; without a given form, with one that has the known values."""
    reviews = list(stage.visible_reviews(sample, request.user, wanted.blind))
    mine = next((review for review in reviews if review.reviewer_id == request.user.pk), None)
    draft = ReviewDraft.objects.filter(sample=sample, reviewer_id=request.user.pk).first()
    seen = stage.Seen.of(sample, reviews, wanted.blind)
    context = {
        "sample": sample,
        "queue": wanted,
        "form": form or opened(sample, seen, known_fields(draft, mine), draft.version if draft else 0),
        "reviews": reviews,
        "mine": mine,
        "draft": draft,
        "last": stage.last_review(request.user),
        "progress": stage.progress(request.user, wanted.chosen),
        "evidence": evidence_of(sample),
        "page_keys": KEYS,
        **more,
    }
    return render(request, "review/review.html", context, status=status)


def known_fields(draft: ReviewDraft | None, last: Review | None) -> dict[str, Any]:
    """Return a form's initial values: the draft, otherwise the reviewer's own last review (so that undo can correct
    it).
    """
    if draft and draft.fields:
        return draft.fields
    return fields_of(last) if last else {}


def holder_of(sample: Sample, actor: Actor) -> ReviewClaim | None:
    """Claim the sample for this reviewer, or return the claim of whoever has it open already."""
    try:
        stage.claim(sample, actor)
    except stage.ClaimedError as error:
        return error.claim
    return None


@require(Scope.ANNOTATE, "POST")
def skip(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample, pk=pk)
    if typed_fields(request.POST):
        try:
            keep(request, sample)
        except stage.DraftConflictError:
            messages.warning(request, "Another page of yours has a newer draft of it: both texts are kept.")
    stage.skip(sample, actor_of(request))
    return to_next(request, read_queue(request))


def keep(request: HttpRequest, sample: Sample) -> ReviewDraft | None:
    """Save the page's form as the draft of the version that the page has seen."""
    form = ReviewForm(sample, request.POST)
    form.is_valid()
    given = form.cleaned_data
    return stage.save_draft(
        sample, actor_of(request), typed_fields(request.POST), given.get("key"), given.get("draft") or 0
    )


@require(Scope.ANNOTATE, "POST")
def draft(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """Save the draft, renew the claim, and report what changed meanwhile."""
    sample = get_object_or_404(Sample, pk=pk)
    try:
        saved = keep(request, sample)
    except stage.DraftConflictError as error:
        context = {"sample": sample, "draft": error.draft, "in_form": False, "here": request.POST.get("key")}
        context["queue"] = read_queue(request)
        panel = render_to_string("review/_texts.html", context, request)
        body = {"saved": False, "kept": error.kept, "panel": panel, **standing(request, sample)}
        return JsonResponse(body, status=409)
    version = saved.version if saved else 0
    return JsonResponse({"saved": saved is not None, "version": version, **standing(request, sample)})


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
def heartbeat(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """Renew the claim, and report what changed meanwhile."""
    return JsonResponse(standing(request, get_object_or_404(Sample, pk=pk)))


def standing(request: HttpRequest, sample: Sample) -> dict[str, Any]:
    held = holder_of(sample, actor_of(request))
    try:
        seen = stage.Seen.parse(request.POST.get("seen", ""))
        changed = stage.changes_since(sample, request.user, seen) is not None
    except stage.ReviewError:
        changed = False  # saving will report the missing value
    return {"holder": str(held.reviewer) if held else "", "changed": changed}
