"""What OPTIONS answers: the methods are in the Allow header, what they take and give is in the OpenAPI document."""

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


class Methods(BaseMetadata):
    """The framework's own metadata looks an object up to describe its form, which not every view of ours has."""

    def determine_metadata(self, request: Request, view: "APIView") -> dict[str, Any]:
        return {"name": view.get_view_name(), "methods": view.allowed_methods, "schema": reverse("schema")}
