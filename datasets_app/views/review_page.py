"""The page of one sample beside its rubric, as every answer of the review stage shows it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app import review as stage
from datasets_app.accounts.actor import actor_of
from datasets_app.browse.sample.evidence import evidence_of
from datasets_app.models import Review, ReviewDraft, RubricVersion, Sample, SkipReason
from datasets_app.review import queues
from datasets_app.review.form import ReviewForm, fields_of, opened
from datasets_app.review.guidelines import paragraphs
from datasets_app.review.notes import notes_of
from datasets_app.review.rubric import VERDICTS, current_rubric
from datasets_app.review.suggestions import offered
from datasets_app.views.review_filter import Queue

KEYS = [
    ("m", "Write the comment; Esc leaves it"),
    ("s", "Save and next (in the comment: Ctrl Enter)"),
    ("u", "Undo: take your last review back (after 10 minutes: reopen it)"),
    ("x", "Skip for now; what you typed is kept"),
    ("+ -", "Take or drop the first suggestion", "[data-suggestion]"),
    ("/", "Find in the three texts; Enter and Shift+Enter step, Esc ends", "[data-find]"),
    ("[ t ]", "Fold or unfold program, trace, kernel"),
    ("← →", "On a bar between panes: move it; Home evens out", "[data-split]"),
    ("w", "Wrap long lines"),
    ("y", "The panes follow the one that you scroll", "[data-follow]:not([hidden])"),
]


def keys_of(rubric: RubricVersion) -> list[tuple[str, ...]]:
    """Return the rows of the sheet of keys: those of the rubric, then those of the page."""
    return [
        *((choice.key, choice.title) for choice in VERDICTS),
        ("1 to 5", "Score the marked criterion; 0 takes the score back"),
        *((one.key, f"Mark {one.title.lower()}") for one in rubric.criterion_list),
        *((one.key, f"Reason: {one.title.lower()}") for one in rubric.reason_list),
        *KEYS,
    ]


def place_of(user: Any, wanted: Queue) -> stage.Place:
    return queues.place_in(wanted.stored, user) if wanted.stored else stage.progress(user, wanted.chosen)


def last_of(request: HttpRequest, here: Sample | None, wanted: Queue) -> dict[str, Any]:
    """Return the context of the reviewer's last review, if it is not of the sample that the page shows."""
    last: Review | None = stage.last_review(request.user)
    if here is not None and last is not None and last.sample_id == here.pk:
        last = None
    return {"last": last, "may_undo": stage.may_undo(last), "queue": wanted}


def page(
    request: HttpRequest,
    sample: Sample,
    wanted: Queue,
    form: ReviewForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Show the sample beside its rubric; without a given form, with one that has the known values."""
    judgements = stage.Judgements.of(sample)
    wanted = wanted.beside(judgements.queue)
    reviews = judgements.visible_to(request.user, wanted.blind)
    own = [one for one in reviews if one.reviewer_id == request.user.pk]
    mine = next((one for one in own if not (one.is_adjudication or one.is_withdrawn)), None)
    draft = ReviewDraft.objects.filter(sample=sample, reviewer_id=request.user.pk).first()
    seen = judgements.seen_by(request.user, wanted.blind)
    rubric, actor, evidence = current_rubric(), actor_of(request), evidence_of(sample)
    takes_form = not (more.get("holder") or more.get("refusal"))
    if form is None:
        form = opened(sample, rubric, seen, known_fields(draft, mine), draft.version if draft else 0)
    context = {
        "sample": sample,
        "form": form.under(rubric),
        "guidelines": paragraphs(rubric.guidelines),
        "reviews": reviews,
        "mine": mine,
        "draft": draft,
        **last_of(request, sample, wanted),
        "place": place_of(request.user, wanted),
        "skip_reasons": SkipReason.choices,
        "evidence": evidence,
        "suggested": offered(sample, actor, evidence, wanted.blind) if takes_form else [],
        "notes": notes_of(sample, actor, hidden=wanted.blind and all(one.is_withdrawn for one in own)),
        "page_keys": keys_of(rubric),
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
