"""The hosts page: which hosts may verify, when each was last seen, and for an administrator their keys."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.models import WantedDevice
from eval_app.broker.messages import acl
from eval_app.pages.hosts import state_of
from eval_app.workers import registry


@require(Scope.ADMIN)
def index(request: HttpRequest) -> HttpResponse:
    """Show every host with its state."""
    return page(request)


@require(Scope.ADMIN, "POST")
@never_cache
def add(request: HttpRequest) -> HttpResponse:
    """Add a host and show its key, in this response only."""
    name = request.POST.get("name", "").strip()
    try:
        host, key = registry.add_host(name, request.POST.getlist("kind"), actor=actor_of(request))
    except registry.HostError as error:
        return page(request, status=400, problem=str(error), name=name)
    return page(request, status=201, made=host, key=key, acl=acl.acl_lines(host.name, host.kinds))


@require(Scope.ADMIN, "POST")
@never_cache
def rotate(request: HttpRequest, name: str) -> HttpResponse:
    """Give a host a new key and show it, in this response only."""
    try:
        host, key = registry.rotate_key(name, actor=actor_of(request))
    except registry.HostError as error:
        return page(request, status=404, problem=str(error))
    return page(request, status=201, made=host, key=key)


@require(Scope.ADMIN, "POST")
def revoke(request: HttpRequest, name: str) -> HttpResponse:
    """Revoke a host: nothing that it sends counts from now on."""
    try:
        host = registry.revoke_host(name, actor=actor_of(request))
    except registry.HostError as error:
        return page(request, status=404, problem=str(error))
    messages.success(
        request, f"{host.name} is revoked. Its verifications are requeued when their leases expire."
    )
    return redirect("verify-hosts")


@require(Scope.ADMIN, "POST")
def hold(request: HttpRequest, name: str, verb: str) -> HttpResponse:
    """Pause, drain or resume a host."""
    try:
        host = HOLDS[verb](name, actor=actor_of(request))
    except registry.HostError as error:
        return page(request, status=404, problem=str(error))
    messages.success(request, f"{host.name}: {state_of(host).words}. Its workers follow within seconds.")
    return redirect("verify-hosts")


HOLDS = {"pause": registry.pause_host, "drain": registry.drain_host, "resume": registry.resume_host}


def page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    hosts = registry.hosts(actor=actor_of(request))
    context = {
        "hosts": [(host, state_of(host)) for host in hosts],
        "kinds": WantedDevice.choices,
        **more,
    }
    return render(request, "verify/hosts.html", context, status=status)
