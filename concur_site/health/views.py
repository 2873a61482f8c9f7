"""`/healthz` for people and supervisors, `/health/live` and `/health/ready` for orchestrators and load balancers."""

from typing import Any

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
    content = health_report.as_json(with_detail=is_administrator(request, health_report))
    return unstored(content, 503 if health_report.status == Status.FAILED else 200)


@login_not_required
@methods("GET")
def live(request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process runs requests. Asks neither the database, nor the disk, nor the broker.

    A supervisor that restarts a process whose answer fails does not restart one because the database is away.
    """
    return unstored({"status": Status.OK}, 200)


@login_not_required
@methods("GET")
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 if requests can be answered now, else 503; within two seconds.

    Needs the database, tables of this version, and a disk that can be written. A missing broker or worker does not
    count: the site serves without them, and requested work waits.
    """
    found = report.ready()
    is_ready = found.status != Status.FAILED
    content = {"status": "ready" if is_ready else "not ready"}
    content |= {name: part.sentence or "ok" for name, part in found.parts.items()}
    return unstored(content, 200 if is_ready else 503)


def unstored(content: dict[str, Any], status: int) -> JsonResponse:
    return JsonResponse(content, status=status, headers={"Cache-Control": "no-store"})


def is_administrator(request: HttpRequest, health_report: report.Report) -> bool:
    """Return whether an administrator asks; False if the database does not answer."""
    if health_report.parts["database"].status == Status.FAILED:
        return False
    return role_of(request.user) == Role.ADMINISTRATOR
