"""/api/v1/releases/: read releases, freeze a recipe into a new one, download files."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.api.files import FileView, file_types
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.permissions import ReadsReleases
from datasets_app.api.published import PublicationSerializer, find_release
from datasets_app.curate import freeze
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.recipe_versions import Named, find
from datasets_app.export import download
from datasets_app.models import Export, Publication, Release
from datasets_app.models.release import ARCHIVE

OTHER_TYPES = tuple(dict.fromkeys([*download.TYPES.values(), download.PLAIN]))


class FileSerializer(serializers.ModelSerializer[Export]):
    """One file of a release. `sha256` is also its strong ETag."""

    rows = serializers.IntegerField(source="records")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Export
        fields = [
            "path",
            "format",
            "options",
            "split",
            "state",
            "rows",
            "size_bytes",
            "sha256",
            "error",
            "url",
        ]

    @extend_schema_field(OpenApiTypes.URI)
    def get_url(self, export: Export) -> str:
        address = reverse("api-release-file", args=[self.context["name"], export.path])
        return str(self.context["request"].build_absolute_uri(address))


class ReleaseSummarySerializer(serializers.ModelSerializer[Release]):
    """A release in a list."""

    rows = serializers.IntegerField(source="row_count")
    tasks = serializers.IntegerField(source="task_count")
    splits = serializers.DictField(source="split_counts", child=serializers.IntegerField())
    hub_id = serializers.CharField(
        help_text="the name to pass to load_dataset, with HF_ENDPOINT set to this site"
    )
    publication = serializers.SerializerMethodField()

    class Meta:
        model = Release
        fields = [
            "name",
            "title",
            "hub_id",
            "state",
            "error",
            "recipe_name",
            "recipe_version",
            "device",
            "rows",
            "tasks",
            "splits",
            "content_sha256",
            "created_at",
            "finished_at",
            "publication",
        ]

    @extend_schema_field(PublicationSerializer)
    def get_publication(self, release: Release) -> Any:
        return PublicationSerializer(Publication.of(release)).data


class ReleaseSerializer(ReleaseSummarySerializer):
    """A release with all its counts and its files."""

    files = serializers.SerializerMethodField()
    archive = serializers.SerializerMethodField(help_text="all files as one zip; null until they are written")
    decontamination = serializers.ListField(
        child=serializers.DictField(),
        read_only=True,
        help_text="per rule that compares with a benchmark: what it dropped, by task, with the method and the "
        "benchmark's task",
    )

    class Meta(ReleaseSummarySerializer.Meta):
        fields = [
            *ReleaseSummarySerializer.Meta.fields,
            "notes",
            "definition",
            "funnel",
            "decontamination",
            "split_report",
            "counts",
            "versions",
            "files",
            "archive",
        ]

    @extend_schema_field(FileSerializer(many=True))
    def get_files(self, release: Release) -> Any:
        context = {**self.context, "name": release.name}
        return FileSerializer(release.exports.in_package().order_by("path"), many=True, context=context).data

    @extend_schema_field(FileSerializer(allow_null=True))
    def get_archive(self, release: Release) -> Any:
        context = {**self.context, "name": release.name}
        archive = release.exports.filter(format=ARCHIVE).first()
        return FileSerializer(archive, context=context).data if archive else None


class NewReleaseSerializer(RequestSerializer):
    """The request: `recipe` names a stored recipe (`mine@3` its version 3), or `definition` contains one."""

    name = serializers.CharField(max_length=200)
    recipe = serializers.CharField(required=False)
    definition = serializers.JSONField(required=False)
    title = serializers.CharField(required=False, default="", allow_blank=True)
    notes = serializers.CharField(required=False, default="", allow_blank=True)

    def chosen(self) -> Named:
        fields = self.validated_data
        if ("recipe" in fields) == ("definition" in fields):
            raise RecipeError({"recipe": "Send either recipe (a name) or definition (rules)."})
        if "definition" in fields:
            return Named(parse(fields["definition"]), None, None, "definition")
        named = find(fields["recipe"])
        if named is None:
            raise RecipeError({"recipe": f"There is no recipe {fields['recipe']!r}."})
        return named

    def create_release(self, actor: Actor) -> Release:
        chosen = self.chosen()
        return freeze.create(
            actor,
            definition=chosen.definition,
            recipe=chosen.recipe,
            recipe_name=chosen.name,
            recipe_version=chosen.number,
            **{key: self.validated_data[key] for key in ("name", "title", "notes")},
        )


class ReleaseList(GenericAPIView[Release]):
    serializer_class = ReleaseSummarySerializer
    permission_classes = [ReadsReleases]
    write_scope = Scope.CURATE

    def get_queryset(self) -> QuerySet[Release]:
        readable = readable_releases(actor_of(self.request)).select_related(
            "stored_publication__superseded_by"
        )
        return readable.defer("definition", "funnel", "counts", "versions")

    @extend_schema(
        responses=ReleaseSummarySerializer(many=True),
        auth=[{"token": []}, {"cookieAuth": []}, {}],  # type: ignore[list-item]  # its stub has the names alone
    )
    def get(self, request: Request) -> Response:
        """All releases that you may read, newest first; without a token those that are public."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ReleaseSummarySerializer(page, many=True).data)

    @extend_schema(request=NewReleaseSerializer, responses={202: ReleaseSerializer})
    def post(self, request: Request) -> Response:
        """Freeze a recipe. The rows are written in the background: poll the release for its state."""
        wanted = NewReleaseSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            release = wanted.create_release(actor_of(request))
        except RecipeError as error:
            raise serializers.ValidationError({k: [text] for k, text in error.faults.items()}) from error
        data = ReleaseSerializer(release, context={"request": request}).data
        where = {"Location": reverse("api-release", args=[release.name])}
        return Response(data, status=status.HTTP_202_ACCEPTED, headers=where)


class ReleaseDetail(GenericAPIView[Release]):
    serializer_class = ReleaseSerializer
    queryset = Release.objects.none()
    permission_classes = [ReadsReleases]

    def get(self, request: Request, name: str) -> Response:
        """One release: counts, funnel, versions, files. A public one needs no token."""
        release = find_release(name, actor_of(request))
        return Response(ReleaseSerializer(release, context={"request": request}).data)


class ReleaseFile(FileView):
    """Serves the page's URL and the API's, for a session or a token."""

    throttle_classes: list[Any] = []  # a download requests many files, and parts of each
    permission_classes = [ReadsReleases]

    @extend_schema(
        responses=file_types(200, *OTHER_TYPES)
        | file_types(206, *OTHER_TYPES)
        | {
            304: OpenApiResponse(description="If-None-Match contains the file's ETag"),
            416: OpenApiResponse(description="the range is outside the file"),
        },
    )
    def get(self, request: Request, name: str, path: str) -> HttpResponseBase:
        """A file of a release, complete or one range of it. ETag and Repr-Digest contain its SHA-256. A public
        release needs no token; a yanked one answers with a Warning header.
        """
        return download.answer(request._request, download.find(find_release(name, actor_of(request)), path))
