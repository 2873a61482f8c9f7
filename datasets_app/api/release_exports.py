"""/api/v1/releases/NAME/exports/: request a release's files in a format, with its options."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import RequestSerializer
from datasets_app.api.published import find_release
from datasets_app.api.releases import FileSerializer
from datasets_app.export import FORMATS, request_export
from datasets_app.export.errors import ExportError, OptionsError
from datasets_app.export.pairs import KINDS
from datasets_app.models import Release


class OptionsSerializer(RequestSerializer):
    """Each format takes some of these; GET says which. One that is left out has its default."""

    columns = serializers.ListField(child=serializers.CharField(), required=False)
    template = serializers.CharField(
        required=False, trim_whitespace=False, help_text="the prompt; {program} is the reference program"
    )
    think = serializers.BooleanField(required=False, help_text="whether answers begin with the trace")
    numbered = serializers.BooleanField(required=False, help_text="whether uuid is a number per problem")
    pairs = serializers.ListField(child=serializers.ChoiceField(list(KINDS)), required=False)


class ExportSerializer(RequestSerializer):
    format = serializers.ChoiceField(list(FORMATS))
    options = OptionsSerializer(required=False)


class FormatSerializer(serializers.Serializer[Any]):
    """A format of a release's files."""

    name = serializers.CharField()
    title = serializers.CharField()
    means = serializers.CharField()
    takes = serializers.ListField(child=serializers.CharField(), help_text="the names of its options")


class ReleaseExports(APIView):
    write_scope = Scope.CURATE

    @extend_schema(responses=FormatSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The formats that files can be made in, with their options."""
        find_release(name, actor_of(request))
        return Response(FormatSerializer(FORMATS.values(), many=True).data)

    @extend_schema(request=ExportSerializer, responses={202: FileSerializer(many=True)})
    def post(self, request: Request, name: str) -> Response:
        """Request files. They are written in the background: poll the release for their state."""
        release = get_object_or_404(Release, name=name)
        wanted = ExportSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        format = wanted.validated_data["format"]
        sent = dict(request.data)  # with the names that no format knows, which are refused too
        chosen = {**sent.get("options", {}), **wanted.validated_data.get("options", {})}
        try:
            files = request_export(release, format, actor_of(request), chosen)
        except OptionsError as error:
            faults = {option: [sentence] for option, sentence in error.faults.items()}
            raise serializers.ValidationError({"options": faults}) from error
        except ExportError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        context = {"request": request, "name": name}
        return Response(
            FileSerializer(files, many=True, context=context).data, status=status.HTTP_202_ACCEPTED
        )
