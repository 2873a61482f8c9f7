"""/api/v1/tags/: tags of samples. To tag many samples, see bulk-actions/."""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import ModelRequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.browse.list import tags
from datasets_app.models import Tag


class TagSerializer(ModelRequestSerializer[Tag]):
    samples = serializers.IntegerField(
        source="sample_count", read_only=True, help_text="number of samples with the tag"
    )

    class Meta:
        model = Tag
        fields = ["name", "colour", "samples", "created_at"]
        read_only_fields = ["created_at"]
        extra_kwargs: dict[str, dict[str, Any]] = {
            "name": {"validators": []},  # the stage validates names, with its own messages
            "colour": {"required": False},
        }


def counted() -> Any:
    return Tag.objects.annotate(sample_count=Count("sample_tags"))


def find(name: str) -> Tag:
    tag = tags.find(name)
    if tag is None:
        raise NotFound(f"There is no tag {name[:60]!r}.")
    return tag


def refusal(error: tags.TagError) -> serializers.ValidationError:
    return serializers.ValidationError({"name": [str(error)]})


class TagList(GenericAPIView[Tag]):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    pagination_class = CursorPagination
    write_scope = Scope.ANNOTATE

    @extend_schema(responses=TagSerializer(many=True))
    def get(self, request: Request) -> Response:
        """All tags, newest first, with their numbers of samples."""
        page = self.paginate_queryset(counted())
        return self.get_paginated_response(TagSerializer(page, many=True).data)

    @extend_schema(responses={201: TagSerializer})
    def post(self, request: Request) -> Response:
        """Create a tag; without a colour it gets its default colour."""
        wanted = TagSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            made = tags.make(
                actor_of(request), wanted.validated_data["name"], wanted.validated_data.get("colour", "")
            )
        except tags.TagError as error:
            raise refusal(error) from error
        return Response(TagSerializer(counted().get(pk=made.pk)).data, status=status.HTTP_201_CREATED)


class TagDetail(GenericAPIView[Tag]):
    """A tag, by its name in any case."""

    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    write_scope = Scope.ANNOTATE

    def get(self, request: Request, name: str) -> Response:
        """One tag."""
        return Response(TagSerializer(counted().get(pk=find(name).pk)).data)

    @extend_schema(request=TagSerializer(partial=True), responses=TagSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Rename or recolour it for everybody; for curators, and for its creator while nobody else has used it."""
        tag = find(name)
        wanted = TagSerializer(tag, data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        try:
            tags.change(actor_of(request), tag, **wanted.validated_data)
        except tags.TagError as error:
            raise refusal(error) from error
        return Response(TagSerializer(counted().get(pk=tag.pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Delete it and remove it from every sample, permanently; for curators, and for its creator while nobody
        else has used it.
        """
        tags.delete(actor_of(request), find(name))
        return Response(status=status.HTTP_204_NO_CONTENT)
