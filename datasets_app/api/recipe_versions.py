"""/api/v1/recipes/{name}/versions/: what a recipe was, what each version changed, and an old one saved again."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.recipes import RecipeSerializer
from datasets_app.curate import recipe_versions
from datasets_app.curate.definition import RecipeError
from datasets_app.curate.recipe_versions import Entry, history
from datasets_app.curate.recipes import RecipeOutdatedError
from datasets_app.models import Recipe


class RecipeVersionSerializer(serializers.Serializer[Any]):
    """One version of a recipe. `changes` says in words what it changed of the version before."""

    number = serializers.IntegerField(source="version.number")
    message = serializers.CharField(source="version.message")
    created_by = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="version.created_at")
    changes = serializers.SerializerMethodField()
    definition = serializers.JSONField(source="version.definition")

    def get_created_by(self, entry: Entry) -> str | None:
        user = entry.version.created_by
        return user.get_username() if user else None

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_changes(self, entry: Entry) -> Any:
        return [change.words for change in entry.changes]


class RestoreSerializer(RequestSerializer):
    based_on = serializers.IntegerField(
        required=False, min_value=0, help_text="the recipe's `save_count`: 409 if somebody saved since"
    )


class RecipeVersionList(GenericAPIView[Recipe]):
    queryset = Recipe.objects.all()
    serializer_class = RecipeVersionSerializer

    @extend_schema(
        operation_id="recipe_versions_list",
        parameters=[OpenApiParameter(name, exclude=True) for name in ("limit", "cursor")],  # all at once
        responses=RecipeVersionSerializer(many=True),
    )
    def get(self, request: Request, name: str) -> Response:
        """All versions of a recipe, newest first."""
        entries = history(get_object_or_404(Recipe, name=name))
        return Response(
            {"next": None, "previous": None, "results": RecipeVersionSerializer(entries, many=True).data}
        )


class RecipeVersionDetail(GenericAPIView[Recipe]):
    queryset = Recipe.objects.all()
    serializer_class = RecipeVersionSerializer
    write_scope = Scope.CURATE

    def get(self, request: Request, name: str, number: int) -> Response:
        """One version of a recipe."""
        entries = history(get_object_or_404(Recipe, name=name))
        entry = next((entry for entry in entries if entry.version.number == number), None)
        if entry is None:
            raise NotFound(f"{name} has no version {number}.")
        return Response(RecipeVersionSerializer(entry).data)

    @extend_schema(
        request=RestoreSerializer,
        responses={
            200: RecipeSerializer,
            409: OpenApiResponse(ProblemSerializer, "somebody saved it since"),
        },
    )
    def post(self, request: Request, name: str, number: int) -> Response:
        """Save this version again, as the newest one. Answers with the recipe."""
        recipe = get_object_or_404(Recipe, name=name)
        wanted = RestoreSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            saved = recipe_versions.restore(
                actor_of(request), recipe, number, wanted.validated_data.get("based_on")
            )
        except RecipeOutdatedError as error:
            raise Conflict(" ".join(error.faults.values())) from error
        except RecipeError as error:
            raise serializers.ValidationError({k: [text] for k, text in error.faults.items()}) from error
        return Response(RecipeSerializer(saved).data)
