"""The response to OPTIONS: methods are in the Allow header, parameters and responses in the OpenAPI document."""

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


class Methods(BaseMetadata):
    """Returns no form description: the framework's own would look up an object, which not every view has."""

    def determine_metadata(self, request: Request, view: "APIView") -> dict[str, Any]:
        return {"name": view.get_view_name(), "methods": view.allowed_methods, "schema": reverse("schema")}
