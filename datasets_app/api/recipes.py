"""/api/v1/recipes/: read recipes, create and change own ones."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.json_requests import ModelRequestSerializer
from datasets_app.api.pagination import CursorPagination
from datasets_app.curate import recipes
from datasets_app.curate.definition import RecipeError
from datasets_app.models import Recipe


@extend_schema_field({"type": "object", "additionalProperties": {}})
class DefinitionField(serializers.JSONField):
    """A recipe's rules, which the stage checks."""


class RecipeSerializer(ModelRequestSerializer[Recipe]):
    """A named list of rules. `definition` holds version, seed, rules (in order) and splits (percentages of tasks)."""

    definition = DefinitionField()
    message = serializers.CharField(
        required=False,
        allow_blank=True,
        write_only=True,
        help_text="what changed, and why: kept with the version",
    )
    based_on = serializers.IntegerField(
        required=False,
        write_only=True,
        min_value=0,
        help_text="the `save_count` that the change began from: 409 if somebody saved since. Without it, no check",
    )

    class Meta:
        model = Recipe
        fields = [
            "name",
            "title",
            "description",
            "definition",
            "message",
            "based_on",
            "version",
            "save_count",
            "builtin",
            "created_at",
            "updated_at",
        ]
        read_only_fields = ["version", "save_count", "builtin", "created_at", "updated_at"]
        extra_kwargs: dict[str, dict[str, Any]] = {
            "name": {"validators": []}
        }  # the stage validates names, with its own messages


def store(request: Request, recipe: Recipe | None = None) -> Recipe:
    """Store the recipe. Raises ValidationError with the stage's messages at their places."""
    wanted = RecipeSerializer(data=request.data)
    wanted.is_valid(raise_exception=True)
    fields = wanted.validated_data
    try:
        return recipes.save(actor_of(request), fields.pop("definition"), recipe=recipe, **fields)
    except recipes.RecipeOutdatedError as error:
        raise Conflict(" ".join(error.faults.values())) from error
    except RecipeError as error:
        raise serializers.ValidationError({k: [text] for k, text in error.faults.items()}) from error


class RecipeList(GenericAPIView[Recipe]):
    queryset = Recipe.objects.all()
    serializer_class = RecipeSerializer
    pagination_class = CursorPagination
    write_scope = Scope.CURATE

    @extend_schema(responses=RecipeSerializer(many=True))
    def get(self, request: Request) -> Response:
        """All recipes, newest first."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(RecipeSerializer(page, many=True).data)

    @extend_schema(responses={201: RecipeSerializer})
    def post(self, request: Request) -> Response:
        """Create a recipe. Errors are reported by place: `2.0.minimum` is in the first rule inside the third."""
        return Response(RecipeSerializer(store(request)).data, status=status.HTTP_201_CREATED)


class RecipeDetail(GenericAPIView[Recipe]):
    queryset = Recipe.objects.all()
    serializer_class = RecipeSerializer
    write_scope = Scope.CURATE

    def get(self, request: Request, name: str) -> Response:
        """One recipe."""
        return Response(RecipeSerializer(get_object_or_404(Recipe, name=name)).data)

    @extend_schema(
        request=RecipeSerializer,
        responses={
            200: RecipeSerializer,
            409: OpenApiResponse(ProblemSerializer, "somebody saved it since `based_on`"),
        },
    )
    def put(self, request: Request, name: str) -> Response:
        """Change a recipe: a changed definition becomes its next version. Built-in recipes, and releases made from
        this one, do not change.
        """
        recipe = store(request, get_object_or_404(Recipe, name=name))
        return Response(RecipeSerializer(recipe).data)
