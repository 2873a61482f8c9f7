"""My account: profile, password, sessions and API tokens."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache

from datasets_app.accounts import api_tokens, audit, reset_mail, second_factor
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import FORM_METHODS, require
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.ownership import RULES
from datasets_app.accounts.passwords import ChangePasswordForm
from datasets_app.accounts.reset_mail import AddressForm
from datasets_app.accounts.roles import Scope
from datasets_app.models import ApiToken

MEANING = {
    Scope.READ: "see everything that you see",
    Scope.METRICS: "read the site's metrics, for Prometheus",
    Scope.ANNOTATE: "review, ask for verifications",
    Scope.CURATE: "ingest, write recipes, freeze releases",
    Scope.ADMIN: "all that an administrator may",
}

LIFETIMES = [("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "never expires")]


@require(Scope.READ)
def account(request: HttpRequest) -> HttpResponse:
    return page(request)


@never_cache
@require(Scope.READ, "POST")
def make(request: HttpRequest) -> HttpResponse:
    """Create a token and show it: it is in this response and cannot be shown again."""
    scopes = request.POST.getlist("scope")
    label, days = request.POST.get("label", ""), request.POST.get("days", "")
    try:
        token, text = api_tokens.make_token(request.user, scopes, label, days, actor=actor_of(request))
    except api_tokens.TokenError as error:
        return page(request, status=400, problem=str(error), label=label, days=days)
    return page(request, status=201, made=token, text=text)


@require(Scope.READ, "POST")
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=pk, user=request.user)
    api_tokens.revoke_token(token, actor=actor_of(request))
    messages.success(request, f"The token {token.start}… is revoked.")
    return redirect("account")


@never_cache
@require(Scope.READ, "POST")
def change_address(request: HttpRequest) -> HttpResponse:
    """Store one's own e-mail address, for a forgotten password."""
    form = AddressForm(
        request.POST, instance=User.objects.get(pk=cast(User, request.user).pk), request=request
    )
    if not form.is_valid():
        return page(request, status=400, address=form)
    reset_mail.change_address(form, actor=actor_of(request))
    messages.success(request, "Your e-mail address is saved.")
    return redirect("account")


class SignOut(LogoutView):
    http_method_names = ["post"]

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        return next_page(self.request, "")


class ChangePassword(PasswordChangeView):
    http_method_names = FORM_METHODS
    template_name = "account/password.html"
    form_class = ChangePasswordForm
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        actor = actor_of(self.request)
        audit.record(actor, "password.change", form.user)
        revoked = api_tokens.revoke_all(form.user, actor=actor) if form.cleaned_data["revoke_tokens"] else 0
        tokens = f" {revoked} API token{pluralize(revoked)} revoked." if revoked else ""
        messages.success(
            self.request, f"Your password is changed; your other sessions are signed out.{tokens}"
        )
        return super().form_valid(form)


def page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "scopes": [(scope, MEANING[scope]) for scope in api_tokens.own_scopes(request.user)],
        "has_second_factor": second_factor.is_on(request.user),
        "lifetimes": LIFETIMES,
        "days": "90",
        "tokens": ApiToken.objects.filter(user=cast(User, request.user)),
        "rules": RULES,
        "address": AddressForm(instance=cast(User, request.user), request=request)
        if settings.SENDS_MAIL
        else None,
        **more,
    }
    return render(request, "account/account.html", context, status=status)
