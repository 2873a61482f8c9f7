"""Signing in: name and password, then a code if the account has a second step."""

import time
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters

from datasets_app.accounts import brake, second_factor
from datasets_app.accounts.addresses import brake_address
from datasets_app.accounts.guard import FORM_METHODS, methods
from datasets_app.accounts.known_devices import device_of, remember
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.sign_in import SignInForm

PENDING = "second_step"  # session key of the account that gave the right password
PENDING_SECONDS = 300
WRONG = "That is not the code of this moment, or it was used before."


class SignIn(LoginView):
    redirect_authenticated_user = True
    authentication_form = SignInForm
    http_method_names = FORM_METHODS

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Return a path of this site; empty for anything else, which leads to the start page."""
        return next_page(self.request, "")

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        if not second_factor.is_on(user):
            return finish(self.request, user, self.get_success_url())
        password = user.get_session_auth_hash()  # a change of password meanwhile invalidates it
        self.request.session.cycle_key()  # a session that somebody else planted must not learn of the password
        self.request.session[PENDING] = [user.pk, password, time.time(), self.get_success_url()]
        return redirect("login-code")


@login_not_required
@methods("GET", "POST")
@sensitive_post_parameters("code")
@csrf_protect
@never_cache
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask for the code. Without a right password just before, redirect to the first page."""
    user, address = pending(request)
    if user is None:
        return redirect("login")
    problem = take_code(request, user) if request.method == "POST" else ""
    if request.method == "POST" and not problem:
        return finish(request, user, address)
    return render(request, "registration/second_step.html", {"problem": problem, "name": user.get_username()})


def pending(request: HttpRequest) -> tuple[Any, str]:
    """Return the account that gave the right password a moment ago, and the address that it goes to next."""
    pk, password, at, address = request.session.get(PENDING, (None, "", 0.0, ""))
    if pk is None or time.time() - at > PENDING_SECONDS:
        return None, ""
    user = get_user_model().objects.filter(pk=pk, is_active=True).first()
    if user is None or user.get_session_auth_hash() != password:
        return None, ""
    return user, address


def take_code(request: HttpRequest, user: Any) -> str:
    """Return '' if the code is right, otherwise a message. Codes are braked like passwords."""
    name = user.get_username()
    try:
        noted = brake.begin(brake.Attempt.of(name, brake_address(request), device_of(request, name)))
    except brake.BrakedError as error:
        return str(error)
    if not second_factor.check(user, request.POST.get("code", "")[:100]):
        return WRONG
    brake.succeed(noted)
    return ""


def finish(request: HttpRequest, user: Any, address: str) -> HttpResponse:
    """Sign in, under a new session key, and remember the browser."""
    request.session.pop(PENDING, None)
    login(request, user, settings.AUTHENTICATION_BACKENDS[0])
    response = redirect(address)
    remember(request, response, user.get_username())
    return response
