"""`/healthz`."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse

from concur_site.health import report
from concur_site.health.part import Status
from datasets_app.accounts.guard import methods
from datasets_app.accounts.roles import Role, role_of


@login_not_required
@methods("GET")
def health(request: HttpRequest) -> JsonResponse:
    """Answer 503 if the site cannot serve or store, else 200; without a login, within two seconds.

    `status` is `failed` (the database does not answer, the disk is full), `degraded` (the broker does not answer, no
    worker runs, the disk is nearly full: the site serves, and requested work waits) or `ok`. `database`, `broker`,
    `disk` and `workers` each have a status and a sentence; paths, addresses and errors are for administrators.
    """
    health_report = report.current()
    answer = JsonResponse(
        health_report.as_json(with_detail=is_administrator(request, health_report)),
        status=503 if health_report.status == Status.FAILED else 200,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def is_administrator(request: HttpRequest, health_report: report.Report) -> bool:
    """Return whether an administrator asks; False if the database does not answer."""
    if health_report.parts["database"].status == Status.FAILED:
        return False
    return role_of(request.user) == Role.ADMINISTRATOR
