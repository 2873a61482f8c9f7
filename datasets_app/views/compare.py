"""Compare two: pages on which a reviewer chooses the better one of two samples of a task."""

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Preference, Sample
from datasets_app.models.identity import as_uuid
from datasets_app.models.preference import LONGEST_PREFERENCE_TEXT
from datasets_app.review import KeyReusedError, preferences
from datasets_app.review.preferences import page as parts
from datasets_app.review.preferences.pairs import next_pair
from datasets_app.review.preferences.sending import pairs_response
from datasets_app.review.preferences.trainer_pairs import count_pairs
from datasets_app.review.preferences.verbs import TAKEN_BACK
from datasets_app.views.notes import key_of

KEYS = [
    ("1", "The left kernel is better", "[data-key='1']"),
    ("2", "The right kernel is better", "[data-key='2']"),
    ("0", "A tie", "[data-key='0']"),
    ("m", "Write the reason; Esc leaves it", "#reason"),
    ("d", "The difference, or the two kernels", "[data-key=d]"),
    ("s", "Skip this pair", "[data-key=s]"),
    ("u", "Undo: take your last choice back, and open it again", "[data-key=u]"),
]
START_KEYS = [
    ("n", "Next pair"),
    ("u", "Undo: take your last choice back, and open it again", "[data-key=u]"),
]


@require(Scope.ANNOTATE)
def start(request: HttpRequest) -> HttpResponse:
    """Show the reviewer's own counts, and where to begin."""
    actor = actor_of(request)
    context = {
        "trainer": count_pairs(actor) if actor.may(Scope.CURATE) else None,
        "counts": parts.own_counts(request.user),
        "last": preferences.last_preference(request.user),
        "after": as_uuid(request.GET.get("after", "")),
        "nothing": request.GET.get("nothing", ""),
        "page_keys": START_KEYS,
    }
    return render(request, "compare/start.html", context)


@require(Scope.ANNOTATE)
def take_next(request: HttpRequest) -> HttpResponse:
    """Redirect to the next pair, of the tasks after `?after=`; without one, to the start page."""
    found = next_pair(request.user, as_uuid(request.GET.get("after", "")))
    if found.pair:
        return HttpResponseRedirect(reverse("compare-pair", args=found.pair))
    query = "nothing=left" if found.is_end else f"nothing=here&after={found.task}"
    return HttpResponseRedirect(f"{reverse('compare')}?{query}")


@require(Scope.ANNOTATE, "GET", "POST")
def pair(request: HttpRequest, pk: UUID, other: UUID) -> HttpResponse:
    """Show two samples of one task, or store which one is better."""
    samples = parts.samples_of(pk, other)
    if samples is None:
        return gone(request)
    if request.method != "POST" or "show" in request.POST:
        return page(request, *samples)
    return choose(request, *samples)


def choose(request: HttpRequest, left: Sample, right: Sample) -> HttpResponse:
    choice, reason = request.POST.get("choice", ""), request.POST.get("reason", "")
    key = key_of(request)
    if key is None:
        return page(request, left, right, 400, ["The form lost its hidden fields: choose again."])
    try:
        preferences.submit_preference(left, right, actor_of(request), choice, reason, key)
    except preferences.AlreadyComparedError as error:
        return page(request, left, right, 409, [str(error)])
    except preferences.PreferenceError as error:
        return page(request, left, right, 400, list(error.errors.values()))
    except KeyReusedError:
        sentence = "This form was already stored with other content: choose again to store this as well."
        return page(request, left, right, 409, [sentence], new_key=True)
    return HttpResponseRedirect(f"{reverse('compare-next')}?after={left.task_id}")


def page(
    request: HttpRequest,
    left: Sample,
    right: Sample,
    status: int = 200,
    errors: list[str] | None = None,
    *,
    new_key: bool = False,
) -> HttpResponse:
    """Show the pair with what was typed; a pair that was opened again, with the text that was taken back."""
    mine = parts.standing_choice(request.user, left, right)
    before = None if mine else parts.taken_back(request.user, left, right)
    typed = request.POST if request.method == "POST" else {}
    shows_difference = typed.get("show") == "difference"
    hidden = parts.is_hidden(mine)
    context = {
        "task": left.task,
        "left": left,
        "right": right,
        "sides": [] if shows_difference else parts.sides(left, right, actor_of(request), hidden),
        "comparison": parts.difference_of(left, right) if shows_difference else None,
        "hidden": hidden,
        "mine": mine,
        "chosen": parts.choice_words(mine or before, left),
        "before": before,
        "reason": typed.get("reason", before.reason if before else ""),
        "key": uuid4() if new_key else key_of(request) or uuid4(),
        "errors": errors or [],
        "longest": LONGEST_PREFERENCE_TEXT,
        "last": preferences.last_preference(request.user),
        "page_keys": KEYS,
    }
    return render(request, "compare/pair.html", context, status=status)


def gone(request: HttpRequest) -> HttpResponse:
    """Say that a pair cannot be compared, with what was typed for it, to be copied."""
    typed = [text for text in [request.POST.get("reason", "")] if text]
    title = "This pair is no longer here, or its samples are of two tasks"
    return render(request, "notes/gone.html", {"title": title, "typed": typed}, status=404)


@require(Scope.ANNOTATE, "POST")
def undo(request: HttpRequest) -> HttpResponse:
    """Take the reviewer's last choice back, or the one that the form names, and open its pair again."""
    given, actor = as_uuid(request.POST.get("preference", "")), actor_of(request)
    if given is None:
        taken = preferences.take_back_last(actor)
    else:
        taken = get_object_or_404(Preference.objects.filter(reviewer=actor.user), pk=given)
        try:
            preferences.withdraw_preference(taken, actor, TAKEN_BACK)
        except preferences.PreferenceWithdrawnError as error:
            messages.warning(request, str(error))
    if taken is None:
        messages.info(request, "There is no choice of yours to take back.")
        return HttpResponseRedirect(reverse("compare"))
    return HttpResponseRedirect(reverse("compare-pair", args=[taken.left_id, taken.right_id]))


@require(Scope.CURATE)
def pairs(request: HttpRequest) -> StreamingHttpResponse:
    """Send the preference pairs for trainers."""
    return pairs_response(actor_of(request))
