"""The review pages: the queue, and one sample beside its rubric."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from datasets_app import review as stage
from datasets_app.browse.newest_evidence import evidence_of
from datasets_app.models import Review, ReviewClaim, ReviewDraft, Sample
from datasets_app.review_form import ReviewForm, fields_of, opened, typed_fields
from datasets_app.review_turns import live_claims
from datasets_app.roles import Scope, require
from datasets_app.rubric import RUBRIC, VERDICTS
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


@require_GET
@require(Scope.ANNOTATE)
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, who is at work on what, and the way to the next sample."""
    wanted = read_queue(request)
    if "query" in request.GET and not wanted.errors:
        return redirect(wanted.url("review"))
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
    """The first rows with their samples, which are read after them: joined, a planner may start from all tasks."""
    return rows.prefetch_related("sample__task")[:SHOWN]


@require_POST
@require(Scope.ANNOTATE)
def take_next(request: HttpRequest) -> HttpResponse:
    return to_next(request, read_queue(request))


def to_next(request: HttpRequest, wanted: Queue) -> HttpResponse:
    sample = stage.next_sample(request.user, wanted.chosen)
    if sample is None:
        messages.info(
            request, "Nothing is left in this queue that is free: widen the filter, or come back later."
        )
        return redirect(wanted.url("review"))
    return redirect(wanted.url("review-sample", sample.pk))


@require_http_methods(["GET", "POST"])
@require(Scope.ANNOTATE)
def review_sample(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample.objects.with_body(), pk=pk)
    wanted = read_queue(request)
    if request.method == "POST":
        return submit(request, sample, wanted)
    holder = None if "also" in request.GET else holder_of(sample, request.user)
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
            request.user,
            given["verdict"],
            form.scores(),
            given["comment"],
            given["key"],
            given["seen"],
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
    """What came in meanwhile, beside what was typed: nothing is stored, and nothing is lost."""
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
    """The sample beside its rubric; without a form of its own, one that opens with what is known."""
    reviews = list(stage.visible_reviews(sample, request.user, wanted.blind))
    mine = next((review for review in reviews if review.reviewer_id == request.user.pk), None)
    draft = ReviewDraft.objects.filter(sample=sample, reviewer_id=request.user.pk).first()
    seen = stage.Seen.of(sample, reviews, wanted.blind)
    context = {
        "sample": sample,
        "queue": wanted,
        "form": form or opened(sample, seen, known_fields(draft, mine)),
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
    """What a form opens with: the draft, else the reviewer's own last judgement (so that undo can mend it)."""
    if draft and draft.fields:
        return draft.fields
    return fields_of(last) if last else {}


def holder_of(sample: Sample, reviewer: Any) -> ReviewClaim | None:
    """Hold the sample for this reviewer; or the claim of whoever has it open already."""
    try:
        stage.claim(sample, reviewer)
    except stage.ClaimedError as error:
        return error.claim
    return None


@require_POST
@require(Scope.ANNOTATE)
def skip(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    sample = get_object_or_404(Sample, pk=pk)
    if fields := typed_fields(request.POST):
        stage.save_draft(sample, request.user, fields)
    stage.skip(sample, request.user)
    return to_next(request, read_queue(request))


@require_POST
@require(Scope.ANNOTATE)
def draft(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """Autosave: keep what is typed, hold the sample longer, and say what came in meanwhile."""
    sample = get_object_or_404(Sample, pk=pk)
    form = ReviewForm(sample, request.POST)
    form.is_valid()
    saved = stage.save_draft(sample, request.user, typed_fields(request.POST), form.cleaned_data.get("key"))
    return JsonResponse({"saved": saved, **standing(request, sample)})


@require_POST
@require(Scope.ANNOTATE)
def heartbeat(request: HttpRequest, pk: uuid.UUID) -> JsonResponse:
    """A sign of life from the page: hold the sample longer, and say what came in meanwhile."""
    return JsonResponse(standing(request, get_object_or_404(Sample, pk=pk)))


def standing(request: HttpRequest, sample: Sample) -> dict[str, Any]:
    held = holder_of(sample, request.user)
    try:
        seen = stage.Seen.parse(request.POST.get("seen", ""))
        changed = stage.changes_since(sample, request.user, seen) is not None
    except stage.ReviewError:
        changed = False  # saving will say that the form lost what it carried
    return {"holder": str(held.reviewer) if held else "", "changed": changed}
