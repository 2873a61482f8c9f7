"""People: accounts with their roles, invitations, and links that reset a password. For administrators."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache

from datasets_app.accounts import invitations, people
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.people_list import people_page
from datasets_app.accounts.roles import Role, Scope
from datasets_app.models import Invitation


@require(Scope.ADMIN)
def people_list(request: HttpRequest) -> HttpResponse:
    return page(request)


@require(Scope.ADMIN, "POST")
def change_role(request: HttpRequest, pk: int) -> HttpResponse:
    role = request.POST.get("role", "")
    return change(
        request, pk, lambda user: people.change_role(user, role, actor=actor_of(request)), f"{role} now"
    )


@require(Scope.ADMIN, "POST")
def deactivate(request: HttpRequest, pk: int) -> HttpResponse:
    words = "deactivated: their sessions and API tokens have ended, their reviews stay"
    return change(request, pk, lambda user: people.deactivate(user, actor=actor_of(request)), words)


@require(Scope.ADMIN, "POST")
def reactivate(request: HttpRequest, pk: int) -> HttpResponse:
    words = "active again, with the same role and password"
    return change(request, pk, lambda user: people.reactivate(user, actor=actor_of(request)), words)


@never_cache
@require(Scope.ADMIN, "POST")
def reset_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a link that resets the password and show it: it is in this response and cannot be shown again."""
    user = get_object_or_404(User, pk=pk)
    try:
        path = people.make_reset_link(user, actor=actor_of(request))
    except people.PeopleError as error:
        return page(request, status=400, problem=str(error))
    return page(request, status=201, link=request.build_absolute_uri(path), reset_of=user)


@never_cache
@require(Scope.ADMIN, "POST")
def invite(request: HttpRequest) -> HttpResponse:
    """Make an invitation and show its link: it is in this response and cannot be shown again."""
    role, note = request.POST.get("role", ""), request.POST.get("note", "")
    try:
        invitation, text = invitations.invite(role, note, actor=actor_of(request))
    except invitations.InvitationError as error:
        return page(request, status=400, problem=str(error), note=note, invited_role=role)
    link = request.build_absolute_uri(invitations.path(text))
    return page(request, status=201, link=link, invitation=invitation)


@require(Scope.ADMIN, "POST")
def revoke_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    revoked = invitations.revoke(get_object_or_404(Invitation, pk=pk), actor=actor_of(request))
    if revoked:
        messages.success(request, "The invitation is revoked; its link no longer works.")
    else:
        messages.warning(request, "This invitation was already used, revoked or has expired.")
    return redirect("people")


def change(request: HttpRequest, pk: int, verb: Callable[[User], bool], words: str) -> HttpResponse:
    """Change an account and say what it is now; a refusal shows the page with its reason."""
    user = get_object_or_404(User, pk=pk)
    try:
        changed = verb(user)
    except people.PeopleError as error:
        return page(request, status=400, problem=str(error))
    name = user.get_username()
    messages.success(
        request, f"{name} is {words}." if changed else f"Nothing changed: {name} was so already."
    )
    # Somebody who took the right away from themselves may not see the page any more.
    return redirect("people" if people.may_administer(request.user.pk) else "home")


def page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "people": people_page(request.GET.get("page", "1")),
        "roles": list(Role),
        "invited_role": Role.ANNOTATOR,
        "invitations": Invitation.objects.open().select_related("made_by"),
        "valid_days": invitations.VALID_DAYS,
        **more,
    }
    return render(request, "people/people.html", context, status=status)
