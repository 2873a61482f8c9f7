"""/api/v1/views/: saved views, own and shared ones."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import ModelRequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.browse.list import saved_views
from datasets_app.models import SavedView


class SavedViewSerializer(ModelRequestSerializer[SavedView]):
    """`query` contains the parameters of the list's URL; append it to samples/ for its rows."""

    owner = serializers.CharField(source="owner.username", read_only=True)
    words = serializers.SerializerMethodField(help_text="the filter in words")
    lost = serializers.SerializerMethodField(help_text="parameters that are no longer valid")

    class Meta:
        model = SavedView
        fields = ["id", "name", "query", "shared", "owner", "words", "lost", "created_at", "updated_at"]
        read_only_fields = ["created_at", "updated_at"]

    def get_words(self, view: SavedView) -> str:
        return saved_views.opened(view).listing.filter.words()

    def get_lost(self, view: SavedView) -> list[str]:
        return saved_views.opened(view).lost


def checked(request: Request, **options: Any) -> dict[str, Any]:
    wanted = SavedViewSerializer(data=request.data, **options)
    wanted.is_valid(raise_exception=True)
    return dict(wanted.validated_data)


class SavedViewList(GenericAPIView[SavedView]):
    queryset = SavedView.objects.none()
    serializer_class = SavedViewSerializer
    pagination_class = CursorPagination
    write_scope = Scope.READ

    @extend_schema(responses=SavedViewSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Own views and all shared ones, newest first."""
        page = self.paginate_queryset(saved_views.visible_to(request.user))
        return self.get_paginated_response(SavedViewSerializer(page, many=True).data)

    @extend_schema(responses={201: SavedViewSerializer})
    def post(self, request: Request) -> Response:
        """Save a list under a name. Sharing it requires the right to annotate."""
        fields = checked(request)
        try:
            name, query = fields["name"], fields.get("query", "")
            view = saved_views.save(actor_of(request), name, query, shared=fields.get("shared", False))
        except saved_views.ViewError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        return Response(SavedViewSerializer(view).data, status=status.HTTP_201_CREATED)


class SavedViewDetail(GenericAPIView[SavedView]):
    queryset = SavedView.objects.none()
    serializer_class = SavedViewSerializer
    write_scope = Scope.READ

    def find(self, request: Request, pk: int) -> SavedView:
        return get_object_or_404(saved_views.visible_to(request.user), pk=pk)

    def get(self, request: Request, pk: int) -> Response:
        """One view."""
        return Response(SavedViewSerializer(self.find(request, pk)).data)

    @extend_schema(request=SavedViewSerializer(partial=True), responses=SavedViewSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Rename or share an own view, or replace its list."""
        view = self.find(request, pk)
        try:
            saved_views.change(actor_of(request), view, **checked(request, partial=True))
        except saved_views.ViewError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        return Response(SavedViewSerializer(view).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete an own view; the page of views can restore it for a month."""
        saved_views.delete(actor_of(request), self.find(request, pk))
        return Response(status=status.HTTP_204_NO_CONTENT)
