"""My account, second step of signing in: turn it on with an app, renew its recovery codes, turn it off."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from datasets_app.accounts import second_factor
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.own_password import OwnPasswordError, check_own_password
from datasets_app.accounts.roles import Scope
from datasets_app.accounts.second_factor import WrongCodeError

NEW_SECRET = "second_factor_secret"  # noqa: S105  (the session's key for it, until it is confirmed)


@never_cache
@require(Scope.READ)
def page(request: HttpRequest) -> HttpResponse:
    return show(request)


@require(Scope.READ, "POST")
@never_cache
@sensitive_post_parameters()
def turn_on(request: HttpRequest) -> HttpResponse:
    """Confirm the secret with a code, and show the recovery codes: they are in this response and cannot be shown
    again.
    """
    secret = request.session.get(NEW_SECRET)
    if secret is None or second_factor.is_on(request.user):
        return redirect("second-factor")
    try:
        password = confirmed_password(request)
        codes = second_factor.enrol(secret, code_of(request), actor=actor_of(request))
    except (OwnPasswordError, WrongCodeError) as error:
        return show(request, status=400, problem=str(error))
    del request.session[NEW_SECRET]
    end_other_sessions(request, password)
    return show(request, status=201, codes=codes)


@require(Scope.READ, "POST")
@never_cache
@sensitive_post_parameters()
def renew_codes(request: HttpRequest) -> HttpResponse:
    try:
        confirmed_password(request)
    except OwnPasswordError as error:
        return show(request, status=400, problem=str(error))
    if not second_factor.is_on(request.user):
        return redirect("second-factor")
    return show(request, status=201, codes=second_factor.renew_recovery_codes(actor=actor_of(request)))


@require(Scope.READ, "POST")
@sensitive_post_parameters()
def turn_off(request: HttpRequest) -> HttpResponse:
    try:
        confirmed_password(request)
    except OwnPasswordError as error:
        return show(request, status=400, problem=str(error))
    if second_factor.turn_off(request.user, actor=actor_of(request)):
        messages.success(request, "The second step is off: your password alone signs in.")
    return redirect("second-factor")


def confirmed_password(request: HttpRequest) -> str:
    """Return the typed password if it is the account's. A session alone changes nothing here."""
    password = request.POST.get("password", "")
    check_own_password(request, password)
    return password


def code_of(request: HttpRequest) -> str:
    return request.POST.get("code", "")[:100]


def end_other_sessions(request: HttpRequest, password: str) -> None:
    """Store the same password under a new salt: sessions that have not passed the second step end, this one
    continues.
    """
    user: Any = request.user
    user.set_password(password)
    user.save(update_fields=["password"])
    update_session_auth_hash(request, user)


def show(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    """Show the page: the active second step, or what an app needs to turn it on."""
    context: dict[str, Any] = {"is_on": second_factor.is_on(request.user), **more}
    if not context["is_on"]:
        secret = request.session.setdefault(NEW_SECRET, second_factor.new_secret())
        context["secret"] = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
        context["qr_code"] = second_factor.qr_code(second_factor.enrolment_address(request.user, secret))
    return render(request, "account/second_factor.html", context, status=status)
