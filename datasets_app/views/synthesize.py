"""Synthesis: ask a model for kernels, follow what becomes of each candidate, read what could not be stored."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models.functions import Left, Length
from django.db.models.lookups import GreaterThan
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django_htmx.http import HttpResponseClientRefresh

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.evaluation import NO_KERNEL, UNDECIDED, evaluate
from datasets_app.evidence import devices
from datasets_app.ingest import IngestError
from datasets_app.models import Candidate, CandidateState, Sample, Synthesis, Task
from datasets_app.models.synthesis import NAME_CHARS, attach_tallies
from datasets_app.synthesize import verbs
from datasets_app.synthesize.errors import SynthesisError
from datasets_app.synthesize.forms import SynthesisForm
from datasets_app.synthesize.refine import refine as refine_synthesis
from datasets_app.synthesize.turn_forms import ContinueForm, LoopForm, RefineForm
from datasets_app.views.htmx import HtmxRequest

SYNTHESES_A_PAGE, CANDIDATES_A_PAGE = 30, 50
ANSWER_SHOWN = 4_000  # characters
MOST_JUDGED = 20_000  # candidates; the command `evaluate` judges any number


@require(Scope.READ, "GET", "POST")
def index(request: HtmxRequest) -> HttpResponse:
    form = SynthesisForm(request.POST or None)
    if request.method != "POST":
        return index_page(request, form)
    answer: HttpResponse = start(request, form)
    return answer


@require(Scope.CURATE, "POST")
def start(request: HtmxRequest, form: SynthesisForm) -> HttpResponse:
    if not form.is_valid():
        return index_page(request, form, status=400)
    try:
        return redirect(verbs.start(form.plan(), form.tasks(), actor_of(request)))
    except (SynthesisError, IngestError) as error:
        form.add_error(None, str(error))
        return index_page(request, form, status=400)


def index_page(request: HtmxRequest, form: SynthesisForm, status: int = 200) -> HttpResponse:
    page = Paginator(Synthesis.objects.all(), SYNTHESES_A_PAGE).get_page(request.GET.get("page"))
    attach_tallies(list(page))
    context: dict[str, Any] = {"page": page, "moving": any(not one.is_finished for one in page)}
    if request.htmx:
        return render(request, "synthesize/_list.html", context)
    return render(request, "synthesize/index.html", {**context, "form": form}, status=status)


@require(Scope.READ)
def detail(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    return detail_page(request, pk)


def detail_page(
    request: HtmxRequest,
    pk: uuid.UUID,
    form: RefineForm | None = None,
    status: int = 200,
    loop_form: LoopForm | None = None,
) -> HttpResponse:
    """Show a synthesis; `form` and `loop_form` are ones that were refused."""
    related = ("source", "created_by", "refines", "run", "loop__current", "loop__first")
    synthesis = get_object_or_404(Synthesis.objects.select_related(*related), pk=pk)
    candidates = Candidate.objects.filter(synthesis=synthesis)
    tally = candidates.tally()
    context: dict[str, Any] = {
        "synthesis": synthesis,
        "tally": tally,
        "total": sum(tally.values()),
        "answered": tally[CandidateState.STORED] + tally[CandidateState.REFUSED],
        "left": tally[CandidateState.WAITING] + tally[CandidateState.FAILED],
        "tokens": candidates.tokens(),
        "cost": candidates.cost(),
    }
    if request.htmx:
        done = HttpResponseClientRefresh()  # the end brings the table of what was not stored
        return done if synthesis.is_finished else render(request, "synthesize/_progress.html", context)
    rows = (
        candidates.exclude(reason="")
        .select_related("task")
        .defer("answer", "logprobs")
        .order_by("reason", "pk")
    )
    length = Length("answer")
    rows = rows.annotate(
        shown=Left("answer", ANSWER_SHOWN), answer_length=length, is_cut=GreaterThan(length, ANSWER_SHOWN)
    )
    context["reasons"] = candidates.reasons()
    context |= judged(synthesis, context["total"])
    context["page"] = Paginator(rows, CANDIDATES_A_PAGE).get_page(request.GET.get("page"))
    context["refine_form"] = form or RefineForm(initial={"name": f"{synthesis.name}, next turn"[:NAME_CHARS]})
    context["refinements"] = list(synthesis.refinements.all())
    context["loop_form"] = loop_form or LoopForm()
    context["loop_works"] = synthesis.loop is not None and not synthesis.loop.is_finished
    context["may_loop"] = not (synthesis.turn or synthesis.loop or context["refinements"])
    return render(request, "synthesize/detail.html", context, status=status)


def judged(synthesis: Synthesis, total: int) -> dict[str, Any]:
    """Return how the candidates do on the reference device; {} before any is verified, or for very many."""
    device = devices.device_of(Sample.objects.filter(source=synthesis.source))
    if not device or total > MOST_JUDGED:
        return {}
    tasks = Task.objects.filter(
        pk__in=Candidate.objects.filter(synthesis=synthesis).order_by().values("task")
    )
    found = evaluate(synthesis.source, tasks, device)
    undecided = found.outcomes.get(UNDECIDED, 0)
    if not found.results or undecided + found.outcomes.get(NO_KERNEL, 0) == total:
        return {}
    metrics = found.metrics([1.0], sorted({1, synthesis.per_task}))
    named = {"area_under_fast_p": "area under fast_p", "geometric_mean_speedup": "geometric mean speedup"}
    left_out = ("tasks_with_a_speedup", "fast_1@1")
    shown = [
        (named.get(n, n), value) for n, value in metrics.items() if value is not None and n not in left_out
    ]
    return {"device": device, "undecided": undecided, "interval": found.interval(1.0), "metrics": shown}


@require(Scope.READ)
def answer(request: HttpRequest, pk: uuid.UUID, candidate: int) -> HttpResponse:
    """Send an answer that no sample holds, as plain text."""
    found = get_object_or_404(Candidate, synthesis_id=pk, pk=candidate, answer__gt="")
    return HttpResponse(found.answer, content_type="text/plain; charset=utf-8")


@require(Scope.CURATE, "POST")
def refine(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    synthesis, form = (
        get_object_or_404(Synthesis.objects.select_related("source"), pk=pk),
        RefineForm(request.POST),
    )
    if form.is_valid():
        try:
            return redirect(refine_synthesis(form.refinement(), synthesis, actor_of(request)))
        except (SynthesisError, IngestError) as error:
            form.add_error(None, str(error))
    return detail_page(request, pk, form, status=400)


@require(Scope.CURATE, "POST")
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    synthesis = get_object_or_404(Synthesis, pk=pk)
    try:
        verbs.cancel(synthesis, actor_of(request))
        messages.success(request, "The synthesis is cancelled. What was answered is stored.")
    except SynthesisError as error:
        messages.error(request, str(error))
    return redirect(synthesis)


@require(Scope.CURATE, "POST")
def go_on(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    synthesis, form = get_object_or_404(Synthesis, pk=pk), ContinueForm(request.POST)
    try:
        if not form.is_valid():
            raise SynthesisError("Write tokens and cost as numbers in digits.")
        count = verbs.go_on(synthesis, actor_of(request), **form.cleaned_data)
        messages.success(request, f"{count:,} candidate{'' if count == 1 else 's'} will be asked for.")
    except SynthesisError as error:
        messages.error(request, str(error))
    return redirect(synthesis)
