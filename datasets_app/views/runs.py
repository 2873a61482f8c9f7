"""/runs/: evaluation runs over frozen task sets, each with its metrics, figures and tables."""

import uuid
from typing import Any

from csp.decorators import csp_update
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.metrics import MetricError
from datasets_app.analysis.runs.forms import RunForm
from datasets_app.analysis.runs.record import RunError, create_run
from datasets_app.analysis.runs.report import FIGURES, RunReport, report_on
from datasets_app.analysis.runs.tables import TABLES
from datasets_app.evidence import devices
from datasets_app.models import EvaluationRun
from datasets_app.synthesize.verbs import tasks_of
from datasets_app.views.analysis import FOR_PLOTLY

RUNS_A_PAGE = 30


@require(Scope.READ, "GET", "POST")
def index(request: HttpRequest) -> HttpResponse:
    form = RunForm(request.POST or None)
    if request.method != "POST":
        return index_page(request, form)
    answer: HttpResponse = create(request, form)
    return answer


@require(Scope.CURATE, "POST")
def create(request: HttpRequest, form: RunForm) -> HttpResponse:
    if form.is_valid():
        data, tasks = form.cleaned_data, tasks_of(*form.chosen_tasks())
        try:
            return redirect(
                create_run(data["name"], data["source"], tasks, actor_of(request), **form.settings())
            )
        except RunError as error:
            form.add_error(None, str(error))
    return index_page(request, form, status=400)


def index_page(request: HttpRequest, form: RunForm, status: int = 200) -> HttpResponse:
    runs = EvaluationRun.objects.select_related("source", "task_set").annotate(turn_count=Count("turns"))
    page = Paginator(runs.order_by("-created_at", "-id"), RUNS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "runs/index.html", {"page": page, "form": form}, status=status)


@csp_update(FOR_PLOTLY)  # type: ignore[arg-type]  # its stub knows only views without arguments
@require(Scope.READ)
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    run = named(pk)
    context: dict[str, Any] = {
        "run": run,
        "turns": list(run.turns.select_related("loop").order_by("turn", "pk")),
    }
    try:
        report = reported(request, run)
        device = report.judged.device
        context |= {"report": report, "on": request.GET.get("on", ""), "device": device}
        context["devices"] = [(one.name, one.name == device) for one in devices.ordered()]
    except MetricError as error:
        context["problem"] = str(error)
    return render(request, "runs/detail.html", context)


def named(pk: uuid.UUID) -> EvaluationRun:
    return get_object_or_404(EvaluationRun.objects.select_related("source", "task_set", "created_by"), pk=pk)


def reported(request: HttpRequest, run: EvaluationRun) -> RunReport:
    """Judge a run on the device that the address names, if it names one. Raises MetricError, Http404."""
    try:
        return report_on(run, request.GET.get("on", ""))
    except devices.UnknownDeviceError as error:
        raise Http404(str(error)) from error


@require(Scope.READ)
def figure_csv(request: HttpRequest, pk: uuid.UUID, name: str) -> HttpResponse:
    """Send the numbers of one figure of a run."""
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    run = named(pk)
    return as_csv(run, name, lambda: reported(request, run).figure(name).to_csv())


@require(Scope.READ)
def table_csv(request: HttpRequest, pk: uuid.UUID, name: str) -> HttpResponse:
    """Send one table of a run."""
    if name not in TABLES:
        raise Http404(f"There is no table {name!r}; there are {', '.join(TABLES)}.")
    run = named(pk)
    return as_csv(run, name, lambda: reported(request, run).table(name).to_csv())


def as_csv(run: EvaluationRun, name: str, text: Any) -> HttpResponse:
    try:
        body = text()
    except MetricError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    file_name = f"{slugify(run.name) or run.pk}-{name}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return HttpResponse(body, content_type="text/csv; charset=utf-8", headers=headers)
