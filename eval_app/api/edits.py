"""REST under /api/v1/edits/: propose a change to a sample, follow its run, withdraw or accept it."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.models import Edit, Sample
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.edit import EditQuerySet
from datasets_app.review import KeyReusedError, edits
from datasets_app.review.edits.texts import LONGEST_EDITED
from eval_app.request import edits as request_edits

CONFLICTS = (edits.SupersededError, edits.EditClosedError, edits.EditChangedError)
CONFLICT = OpenApiResponse(ProblemSerializer, "superseded, closed or changed meanwhile, or not passed")


class EditSerializer(serializers.ModelSerializer):
    """One edit. `status` is decided by the engine's runs of its newest version."""

    author: Any = serializers.SlugRelatedField(slug_field="username", read_only=True)
    status = serializers.SerializerMethodField()
    version = serializers.SerializerMethodField(help_text="number of its newest version")
    outcome = serializers.SerializerMethodField(help_text="of the newest run; empty: none has ended")
    detail = serializers.SerializerMethodField(help_text="the reason for that outcome")

    class Meta:
        model = Edit
        fields = [
            *("id", "base", "author", "reason", "state", "status", "version", "outcome", "detail"),
            *("revision", "created_at", "closed_at"),
        ]
        read_only_fields = fields

    def standing(self, edit: Edit) -> edits.Standing:
        if not hasattr(edit, "_standing"):
            edit._standing = edits.standing_of(edit)  # type: ignore[attr-defined]
        return edit._standing  # type: ignore[attr-defined,no-any-return]

    @extend_schema_field(serializers.ChoiceField(choices=[status.value for status in edits.EditStatus]))
    def get_status(self, edit: Edit) -> str:
        return self.standing(edit).status

    @extend_schema_field(serializers.IntegerField())
    def get_version(self, edit: Edit) -> int:
        return self.standing(edit).version.number

    @extend_schema_field(serializers.CharField())
    def get_outcome(self, edit: Edit) -> str:
        run = self.standing(edit).newest
        return run.outcome if run else ""

    @extend_schema_field(serializers.CharField())
    def get_detail(self, edit: Edit) -> str:
        run = self.standing(edit).newest
        return run.detail or run.error if run else ""


class WholeEditSerializer(EditSerializer):
    """One edit with the texts of its newest version."""

    kernel_code = serializers.SerializerMethodField()
    reasoning = serializers.SerializerMethodField()

    class Meta(EditSerializer.Meta):
        fields = [*EditSerializer.Meta.fields, "kernel_code", "reasoning"]
        read_only_fields = fields

    @extend_schema_field(serializers.CharField())
    def get_kernel_code(self, edit: Edit) -> str:
        return self.standing(edit).version.kernel_code  # one query for the deferred text

    @extend_schema_field(serializers.CharField())
    def get_reasoning(self, edit: Edit) -> str:
        return self.standing(edit).version.reasoning


class TextsSerializer(RequestSerializer):
    """The texts of a version."""

    kernel_code = serializers.CharField(max_length=LONGEST_EDITED, trim_whitespace=False)
    reasoning = serializers.CharField(
        max_length=LONGEST_EDITED, trim_whitespace=False, allow_blank=True, default=""
    )


class NewEditSerializer(TextsSerializer):
    """A proposed edit: the sample, its changed texts (both are sent whole) and why."""

    base = serializers.PrimaryKeyRelatedField(queryset=Sample.objects.with_body())
    reason = serializers.CharField(max_length=LONGEST_REASON)
    key = serializers.UUIDField(required=False, help_text="a repeated request with it stores nothing new")


class NewVersionSerializer(TextsSerializer):
    """A further version of one's own edit."""

    seen = serializers.IntegerField(help_text="number of the newest version that you have read")


class SeenSerializer(RequestSerializer):
    """The request that accepts an edit."""

    seen = serializers.IntegerField(help_text="number of the version that you have read")


class EditList(generics.ListAPIView):
    """Edits, newest first; POST proposes one. A proposed text is no sample until it is accepted."""

    serializer_class = EditSerializer
    write_scope = Scope.ANNOTATE
    queryset = Edit.objects.none()

    def get_queryset(self) -> EditQuerySet:
        return Edit.objects.for_list()

    def paginate_queryset(self, queryset: Any) -> Any:
        """Attach the standings of a page's edits, with a fixed number of queries."""
        rows = super().paginate_queryset(queryset)
        for standing in edits.standings_of(rows or []):
            standing.edit._standing = standing  # type: ignore[attr-defined]
        return rows

    @extend_schema(request=NewEditSerializer, responses={201: EditSerializer, 409: CONFLICT})
    def post(self, request: Request) -> Response:
        """Propose an edit; the engine verifies its text before it may be accepted."""
        form = NewEditSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        texts = (given["reasoning"], given["kernel_code"], given["reason"])
        return answer(
            lambda: request_edits.propose_edit(given["base"], actor_of(request), *texts, given.get("key")),
            status.HTTP_201_CREATED,
        )


class EditDetail(generics.RetrieveAPIView):
    """One edit with the texts of its newest version; POST sends a further version."""

    serializer_class = WholeEditSerializer
    write_scope = Scope.ANNOTATE
    queryset = Edit.objects.for_list()

    @extend_schema(
        operation_id="edits_version_create",
        request=NewVersionSerializer,
        responses={200: EditSerializer, 409: CONFLICT},
    )
    def post(self, request: Request, pk: int) -> Response:
        form = NewVersionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given, edit = form.validated_data, self.get_object()
        texts = (given["reasoning"], given["kernel_code"])
        return answer(lambda: request_edits.change_edit(edit, actor_of(request), *texts, given["seen"]))


class EditAccept(generics.GenericAPIView):
    serializer_class = EditSerializer
    queryset = Edit.objects.for_list()
    write_scope = Scope.ANNOTATE

    @extend_schema(request=SeenSerializer, responses={200: EditSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        """Make a passed edit a sample: a curator may, or a reviewer who did not write it."""
        form = SeenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        edit = self.get_object()

        def accepted() -> Edit:
            edits.accept_edit(edit, actor_of(request), form.validated_data["seen"])
            return edit

        return answer(accepted)


class EditWithdraw(generics.GenericAPIView):
    serializer_class = EditSerializer
    queryset = Edit.objects.for_list()
    write_scope = Scope.ANNOTATE

    @extend_schema(request=None, responses={200: EditSerializer, 409: CONFLICT})
    def post(self, request: Request, pk: int) -> Response:
        """Withdraw an open edit: its author and curators may."""
        edit = self.get_object()

        def withdrawn() -> Edit:
            edits.withdraw_edit(edit, actor_of(request))
            return edit

        return answer(withdrawn)


def answer(verb: Any, code: int = status.HTTP_200_OK) -> Response:
    """Return what a verb leaves of an edit, or its refusal: 409 for a conflict, 400 for invalid fields."""
    try:
        edit = verb()
    except (*CONFLICTS, KeyReusedError) as error:
        raise Conflict(error) from error
    except edits.EditError as error:
        raise serializers.ValidationError(error.errors) from error
    return Response(EditSerializer(Edit.objects.for_list().get(pk=edit.pk)).data, status=code)
