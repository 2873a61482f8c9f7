from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope

if TYPE_CHECKING:
    from rest_framework.views import APIView

SAFE = {"GET", "HEAD", "OPTIONS"}


class HasScope(BasePermission):
    """Reading requires `read`; writing requires the view's `write_scope`, both of the role and of the token.

    A method that the view lacks is allowed through, to be answered 405.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        writes = request.method not in SAFE and request.method in view.allowed_methods
        scope = getattr(view, "write_scope", Scope.ADMIN) if writes else Scope.READ
        try:
            actor_of(request).require(scope)
        except PermissionDenied as denied:
            self.message = str(denied)
            return False
        return True


class ReadsReleases(HasScope):
    """Reading is open to everybody: the view looks only among the releases that the actor may read."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        is_open = request.method in getattr(view, "open_methods", ("GET", "HEAD"))
        return is_open or super().has_permission(request, view)
