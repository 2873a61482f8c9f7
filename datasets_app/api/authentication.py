from datetime import timedelta
from typing import Any

from django.db import DatabaseError
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from datasets_app.accounts.addresses import brake_address
from datasets_app.api.throttling import bad_tokens
from datasets_app.disk_space import is_out_of_space
from datasets_app.models import ApiToken
from datasets_app.models.token import digest

USE_IS_NOTED_EVERY = timedelta(minutes=5)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer cw_…`; the token's row becomes `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        scheme, _, text = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = (
            ApiToken.objects.select_related("user")
            .filter(sha256=digest(text.strip()), revoked_at=None)
            .first()
        )
        if token is None or not token.user.is_active or token.is_expired:
            if seconds := bad_tokens.take(brake_address(request)):
                raise Throttled(seconds)
            raise AuthenticationFailed(fault_of(token))
        note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def fault_of(token: ApiToken | None) -> str:
    """Return why a token opens nothing, and what to do."""
    known = token is not None and token.user.is_active
    what = f"expired on {token.expires_at:%Y-%m-%d}" if token and known else "is unknown or revoked"
    return f"This token {what}. Create one on the account page, or with: manage.py token create USER"


def note_use(token: ApiToken) -> None:
    """Record the last use to within some minutes, which avoids a write per request.

    On a full disk it is not recorded, so that programs can still read.
    """
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at <= USE_IS_NOTED_EVERY:
        return
    try:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    except DatabaseError as error:
        if not is_out_of_space(error):
            raise


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
