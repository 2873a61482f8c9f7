"""/operations/: whether the site works, for administrators: queue, throughput, hosts, jobs, disks, alerts, errors."""

from datetime import timedelta

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import Verification
from eval_app.models import Alert
from eval_app.operations import disks, finished, hosts, jobs, queue
from eval_app.operations.alerts.rules import TITLES
from eval_app.pages import operations as shown

FOR_PLOTLY = {"img-src": ["blob:"]}
SHOWN_ALERTS = 20
SHOWN_ERRORS = 10


@csp_update(FOR_PLOTLY)
@require(Scope.ADMIN)
def index(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    alerts = [(alert, TITLES.get(alert.rule, alert.rule)) for alert in Alert.objects.all()[:SHOWN_ALERTS]]
    context = {
        "raised": [pair for pair in alerts if pair[0].cleared_at is None],
        "cleared": [pair for pair in alerts if pair[0].cleared_at is not None],
        "waiting": [(group, group.seconds(now)) for group in queue.waiting()],
        "running": queue.running(),
        "figures": [
            shown.throughput_figure(finished.by_hour()),
            shown.outcomes_figure(finished.outcomes_since(now - timedelta(days=1))),
            shown.stages_figure(finished.stage_seconds()),
        ],
        "hosts": hosts.states(),
        "jobs": jobs.counts(),
        "disks": disks.disks(),
        "database_bytes": disks.database_bytes(),
        "routes": shown.routes(),
        "failures": jobs.newest_failures(SHOWN_ERRORS),
        "infra_errors": Verification.runs.finished()
        .filter(outcome="infra_error")
        .order_by("-created_at")
        .select_related("edit_version")
        .only("detail", "worker", "finished_at", "sample_id", "edit_version__edit_id")[:SHOWN_ERRORS],
    }
    return render(request, "operations/operations.html", context)
