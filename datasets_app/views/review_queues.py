"""The pages of review queues: the list of them, one of them, and its form."""

from collections.abc import Callable, Collection
from typing import Any

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list import saved_views
from datasets_app.models import Assignment, QueueFacet, QueueOrder, ReviewQueue
from datasets_app.models.bounds import LONGEST_QUERY, LONGEST_TEXT
from datasets_app.models.queue import LARGEST_OVERLAP, LARGEST_QUEUE, LONGEST_QUEUE_NAME
from datasets_app.models.verdict_policy import VerdictPolicy, current_policy
from datasets_app.review import queues
from datasets_app.review.assignments import reviewers
from datasets_app.text_input.numbers import row_id, whole_number

FIELDS = (
    "name",
    "words",
    "query",
    "order",
    "seed",
    "facet",
    "overlap",
    "target",
    "deadline",
    "policy",
    "honeypot_percent",
)
MOST_SHOWN = 50  # queues, and skips of one queue


def queue_rows(request: HttpRequest, some: Collection[type[Model]]) -> dict[str, Any]:
    """Return the queues that the reader may work on with their progress, and for curators the other ones; `some`: the
    models that have rows."""
    actor, user = actor_of(request), request.user
    mine = list(ReviewQueue.objects.for_reviewer(user)[:MOST_SHOWN]) if ReviewQueue in some else []
    others: list[ReviewQueue] = []
    if ReviewQueue in some and actor.may(Scope.CURATE):
        rest = ReviewQueue.objects.exclude(pk__in=[queue.pk for queue in mine])
        others = list(rest.select_related("created_by")[:MOST_SHOWN])
    counts = queues.progress_of([*mine, *others], user)
    return {
        "queue_rows": [(queue, counts[queue.pk]) for queue in mine],
        "other_queues": [(queue, counts[queue.pk]) for queue in others],
        "assigned": queues.assigned_to(user) if Assignment in some else 0,
    }


def found(pk: int, actor: Actor) -> ReviewQueue:
    """Return the queue; one that is not opened yet is shown to curators only."""
    rows = ReviewQueue.objects.select_related("created_by").prefetch_related("reviewers")
    seen = rows if actor.may(Scope.CURATE) else rows.filter(opened_at__isnull=False)
    return get_object_or_404(seen, pk=pk)


@require(Scope.ANNOTATE)
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    actor = actor_of(request)
    queue = found(pk, actor)
    may_curate, new = actor.may(Scope.CURATE), 0
    if may_curate and not queue.closed_at:
        try:
            new = queues.count_new(queue)
        except queues.QueueError as error:
            messages.warning(request, str(error))
    skips = queue.skips.select_related("reviewer", "sample__task")[:MOST_SHOWN] if may_curate else []
    context = {
        "queue": queue,
        "progress": queues.progress_of([queue], request.user)[queue.pk],
        "may_work": queue.is_open and queue.names(request.user),
        "new": new,
        "skips": skips,
        "page_keys": [("n", "Next sample", "#next")],
    }
    return render(request, "review/one_queue.html", context)


@require(Scope.CURATE, "GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Show the form of a new queue, or create it; with `view` the query of a saved view is filled in."""
    if request.method != "POST":
        return form_page(request, None, {**shown_fields(ReviewQueue()), "query": query_of_view(request)})
    try:
        queue = queues.create_queue(actor_of(request), typed(request))
    except queues.QueueError as error:
        return form_page(request, None, typed(request), error)
    return redirect(queue)


@require(Scope.CURATE, "GET", "POST")
def change(request: HttpRequest, pk: int) -> HttpResponse:
    queue = found(pk, actor_of(request))
    if request.method != "POST":
        return form_page(request, queue, shown_fields(queue))
    version = whole_number(request.POST.get("version", ""), 0, 10**9)
    try:
        queues.change_queue(queue, actor_of(request), typed(request), version)
    except queues.QueueError as error:
        queue.refresh_from_db()
        return form_page(request, queue, typed(request), error)
    messages.success(request, "Saved.")
    return redirect(queue)


def act(verb: Callable[[ReviewQueue, Actor], str]) -> Callable[..., HttpResponse]:
    """Wrap a POST on a queue, whose verb returns what to say; a refusal is said on the queue's page."""

    @require(Scope.CURATE, "POST")
    def view(request: HttpRequest, pk: int) -> HttpResponse:
        queue = found(pk, actor_of(request))
        try:
            messages.success(request, verb(queue, actor_of(request)))
        except queues.QueueError as error:
            messages.warning(request, str(error))
        return redirect(queue)

    return view


def added_words(added: Any) -> str:
    left_out = f" {added.elsewhere:,} are left out: another open queue has them." if added.elsewhere else ""
    return f"Added {added.added:,} samples.{left_out}"


open_it = act(lambda queue, actor: "Opened. " + added_words(queues.open_queue(queue, actor)))
top_up = act(lambda queue, actor: added_words(queues.top_up(queue, actor)))


@act
def close(queue: ReviewQueue, actor: Actor) -> str:
    queues.close_queue(queue, actor)
    return "Closed. All its reviews are kept, and its policy still decides its samples."


def typed(request: HttpRequest) -> dict[str, Any]:
    """Return the fields of the form; numbers stay texts until they are checked."""
    fields: dict[str, Any] = {name: request.POST[name] for name in FIELDS if name in request.POST}
    names = [*request.POST.getlist("reviewer")]
    return {**fields, "blind": "blind" in request.POST, "reviewers": names}


def shown_fields(queue: ReviewQueue) -> dict[str, Any]:
    fields = {name: getattr(queue, name) for name in FIELDS}
    fields["deadline"] = queue.deadline.isoformat() if queue.deadline else ""
    named = [person.get_username() for person in queue.reviewers.all()] if queue.pk else []
    return {**fields, "blind": queue.blind, "reviewers": named}


def query_of_view(request: HttpRequest) -> str:
    pk = row_id(request.GET.get("view", ""))
    if pk is None:
        return request.GET.get("query", "")[:LONGEST_QUERY]
    view = get_object_or_404(saved_views.visible_to(request.user), pk=pk)
    return saved_views.opened(view).listing.filter.typed()


def form_page(
    request: HttpRequest,
    queue: ReviewQueue | None,
    fields: dict[str, Any],
    error: queues.QueueError | None = None,
) -> HttpResponse:
    """Show the form with what was typed, and a sentence at each refused field."""
    context = {
        "queue": queue,
        "fields": {name: "" if value is None else value for name, value in fields.items()},
        "errors": error.errors if error else {},
        "orders": QueueOrder.choices,
        "facets": QueueFacet.choices,
        "policies": VerdictPolicy.choices,
        "site_policy": current_policy().label,
        "people": reviewers(),
        "views": saved_views.visible_to(request.user),
        "largest_overlap": LARGEST_OVERLAP,
        "largest_queue": LARGEST_QUEUE,
        "longest_name": LONGEST_QUEUE_NAME,
        "longest_text": LONGEST_TEXT,
        "longest_query": LONGEST_QUERY,
    }
    return render(request, "review/queue_form.html", context, status=400 if error else 200)
