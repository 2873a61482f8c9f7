"""A forgotten password: a link by e-mail, where the site sends mail."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from datasets_app.accounts import reset_mail
from datasets_app.accounts.addresses import brake_address
from datasets_app.accounts.guard import methods, refuse_nul
from datasets_app.accounts.rates import Rate

PER_MINUTE = 5  # from one address
RATE = Rate(PER_MINUTE)
SENT = "If an account has this address, a link is on its way. It works once, within a day."
NO_MAIL = "This site sends no mail. Ask an administrator for a link: they make it on the page of people."


class ForgottenForm(forms.Form):
    """The address to which the link is to go."""

    email = forms.EmailField(max_length=254, label="E-mail of your account")


@login_not_required
@methods("GET", "POST")
@csrf_protect
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for an address and send the link. The answer does not say whether an account has it."""
    if not settings.SENDS_MAIL:
        return answer(request, 404, problem=NO_MAIL)
    refuse_nul(request)
    form = ForgottenForm(request.POST or None)
    if request.method == "GET" or not form.is_valid():
        return answer(request, 400 if form.is_bound else 200, form=form)
    if wait_s := RATE.take(brake_address(request)):
        return answer(request, 429, form=form, problem=f"Too many requests: try again in {wait_s} seconds.")
    reset_mail.send_in_background(form.cleaned_data["email"], request.build_absolute_uri("/"))
    messages.success(request, SENT)
    return redirect("login")


def answer(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    return render(request, "people/forgotten.html", context, status=status)
