from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from datasets_app.models import ApiToken
from datasets_app.roles import Scope, may

if TYPE_CHECKING:
    from rest_framework.views import APIView

SAFE = {"GET", "HEAD", "OPTIONS"}


class HasScope(BasePermission):
    """Reading needs `read`; writing needs the view's `write_scope`; a token also needs it among its own scopes."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        scope = Scope.READ if request.method in SAFE else getattr(view, "write_scope", Scope.ADMIN)
        self.message = f"This needs the scope {scope}."
        if not may(request.user, scope):
            return False
        return not isinstance(request.auth, ApiToken) or scope in request.auth.scopes
