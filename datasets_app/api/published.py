"""Releases as their readers find them, and /api/v1/releases/NAME/publication/: who may read one, yank, successor."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.export import publication as stage
from datasets_app.export.readable import NeedsAccountError, find_readable
from datasets_app.models import Publication, Release, Visibility
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT


def find_release(name: str, actor: Actor) -> Release:
    """Return the release. Raises NotAuthenticated or Http404 with a sentence."""
    try:
        return find_readable(name, actor)
    except NeedsAccountError as error:
        raise NotAuthenticated(str(error)) from error


class PublicationSerializer(serializers.ModelSerializer[Publication]):
    """Who may read a release, what its card says, whether it is yanked and why, and which release supersedes it."""

    visibility = serializers.ChoiceField(choices=Visibility.choices)
    description = serializers.CharField(source="prose", help_text="in Markdown, as the card has it")
    superseded_by: Any = serializers.SerializerMethodField(help_text="the name of a release; null: none")

    class Meta:
        model = Publication
        fields = ["visibility", "description", "yanked_at", "yank_reason", "superseded_by"]

    def get_superseded_by(self, publication: Publication) -> str | None:
        return publication.superseded_by.name if publication.superseded_by else None


class ReadersSerializer(PublicationSerializer):
    """The same with the names of the readers, for curators."""

    readers: Any = serializers.SlugRelatedField(slug_field="username", many=True, read_only=True)

    class Meta(PublicationSerializer.Meta):
        fields = [*PublicationSerializer.Meta.fields, "readers"]


class PublicationChangeSerializer(RequestSerializer):
    """The request: each field that is sent is changed."""

    visibility = serializers.ChoiceField(choices=Visibility.choices, required=False)
    readers = serializers.ListField(
        child=serializers.CharField(max_length=150), required=False, help_text="names of accounts"
    )
    yank_reason = serializers.CharField(
        max_length=LONGEST_REASON, required=False, allow_blank=True, help_text="yanks; empty takes it back"
    )
    description = serializers.CharField(
        max_length=LONGEST_TEXT, required=False, allow_blank=True, help_text="in Markdown, for the card"
    )
    superseded_by = serializers.CharField(
        max_length=80, required=False, allow_blank=True, help_text="the name of a release; empty: none"
    )


class ReleasePublication(GenericAPIView[Publication]):
    serializer_class = ReadersSerializer
    queryset = Publication.objects.none()
    write_scope = Scope.CURATE

    @extend_schema(request=PublicationChangeSerializer, responses=ReadersSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Decide who may read a release, yank it with a reason, or name its successor. All changes are made or none."""
        form = PublicationChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        actor = actor_of(request)
        release = find_release(name, actor)
        try:
            with transaction.atomic():
                change(release, form.validated_data, actor)
        except stage.PublicationError as error:
            raise serializers.ValidationError({field_of(error): [str(error)]}) from error
        return Response(ReadersSerializer(Publication.of(find_release(name, actor))).data)


def change(release: Release, wanted: dict[str, Any], actor: Actor) -> None:
    """Call the verb for each field that was sent."""
    if "visibility" in wanted or "readers" in wanted:
        visibility = wanted.get("visibility") or Publication.of(release).visibility
        stage.set_visibility(release, visibility, wanted.get("readers"), actor=actor)
    if wanted.get("yank_reason"):
        stage.yank(release, wanted["yank_reason"], actor=actor)
    elif "yank_reason" in wanted:
        stage.unyank(release, actor=actor)
    if "description" in wanted:
        stage.describe(release, wanted["description"], actor=actor)
    if "superseded_by" in wanted:
        stage.supersede(release, wanted["superseded_by"], actor=actor)


def field_of(error: stage.PublicationError) -> str:
    return "yank_reason" if error.field == "reason" else error.field
