"""Pages behind a link that an administrator sent: make an account, or choose a new password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.debug import sensitive_post_parameters

from datasets_app.accounts import invitations
from datasets_app.accounts.guard import methods
from datasets_app.accounts.passwords import ForgottenPasswordForm
from datasets_app.views.sign_in import finish

SIGNED_IN = (
    "You are signed in as {name}. Sign out first, or open the link in another browser: it stays valid."
)


@login_not_required
@methods("GET", "POST")
@sensitive_post_parameters("password1", "password2")
@csrf_protect
@never_cache
def join(request: HttpRequest, text: str) -> HttpResponse:
    """Ask for a name and a password, make the account, and sign it in."""
    invitation = invitations.find(text)
    if invitation is None:
        return answer(request, 404, problem=invitations.GONE)
    if request.user.is_authenticated:
        status = 400 if request.method == "POST" else 200
        return answer(request, status, problem=SIGNED_IN.format(name=request.user.get_username()))
    form = invitations.JoinForm(request.POST or None)
    if request.method == "GET" or not form.is_valid():
        status = 400 if form.is_bound else 200
        return answer(request, status, form=form, invitation=invitation)
    try:
        user = invitations.join(text, form)
    except invitations.InvitationError as error:
        return answer(request, 409, problem=str(error), form=form, invitation=invitation)
    return finish(request, user, reverse("home"))


def answer(request: HttpRequest, status: int, **context: Any) -> HttpResponse:
    return render(request, "people/join.html", context, status=status)


class ResetPassword(PasswordResetConfirmView):
    """Django's page behind the link, which moves the token from the address to the session first.

    The account's sessions end, as they hold a hash of the old password.
    """

    template_name = "people/reset.html"
    form_class = ForgottenPasswordForm
    success_url = reverse_lazy("login")

    def render_to_response(self, context: dict[str, Any], **more: Any) -> HttpResponse:
        return super().render_to_response(context, status=200 if context["validlink"] else 404, **more)

    def get_user(self, uidb64: str) -> Any:
        """Return the account; None for one that was deactivated after the link was made."""
        user = super().get_user(uidb64)
        return user if user is not None and user.is_active else None

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        messages.success(
            self.request, "Your password is changed; all your sessions are signed out. Sign in with it."
        )
        return response


# Outside the view: Django answers for a link that is not valid before it looks at the method.
reset_password = methods("GET", "POST")(ResetPassword.as_view())
