"""My account: who the site takes me for, and the tokens of my programs."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from datasets_app import accounts, audit
from datasets_app.models import ApiToken
from datasets_app.roles import Scope, require

MEANING = {
    Scope.READ: "see everything that you see",
    Scope.ANNOTATE: "review, ask for verifications",
    Scope.CURATE: "ingest, write recipes, freeze releases",
    Scope.ADMIN: "all that an administrator may",
}


@require_GET
@require(Scope.READ)
def account(request: HttpRequest) -> HttpResponse:
    return page(request)


@require_POST
@never_cache
@require(Scope.READ)
def make(request: HttpRequest) -> HttpResponse:
    """Make a token and show it: it is in this answer, and nowhere afterwards."""
    scopes, label = request.POST.getlist("scope"), request.POST.get("label", "")
    try:
        token, text = accounts.make_token(request.user, scopes, label, actor=request.user)
    except accounts.ScopeError as error:
        return page(request, status=400, problem=str(error), label=label)
    return page(request, status=201, made=token, text=text)


@require_POST
@require(Scope.READ)
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=pk, user=request.user)
    accounts.revoke_token(token, actor=request.user)
    messages.success(request, f"The token {token.start}… opens nothing any more.")
    return redirect("account")


class ChangePassword(PasswordChangeView):
    template_name = "account/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        audit.record(form.user, "password.change", form.user)
        messages.success(self.request, "Your password is changed; your other sessions are signed out.")
        return super().form_valid(form)


def page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "scopes": [(scope, MEANING[scope]) for scope in accounts.own_scopes(request.user)],
        "tokens": ApiToken.objects.filter(user=cast(User, request.user)),
        **more,
    }
    return render(request, "account/account.html", context, status=status)
