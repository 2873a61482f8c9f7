"""/api/v1/ingests/: upload a file, follow its counts, download its refused rows."""

import json
from typing import Any

from django.db import DatabaseError
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.errors import Conflict, ProblemSerializer
from datasets_app.api.files import FileView
from datasets_app.ingest import IncomingFile, IngestError, Provenance, cancel_ingest, start_ingests
from datasets_app.ingest.refusal_store import refused_response
from datasets_app.ingest.registry import options
from datasets_app.ingest.uploads import drop_upload, store_upload
from datasets_app.models import Ingest
from datasets_app.text_input.storable import UNSTORABLE


class IngestSerializer(serializers.ModelSerializer[Ingest]):
    """Counts as printed by manage.py ingest: tasks and samples are the new ones."""

    source = serializers.CharField(  # type: ignore[assignment]  # declared fields leave the class
        source="source_name", help_text="empty until the file is recognised, if none was given"
    )
    licence = serializers.CharField()
    format = serializers.CharField(help_text="empty until the file is recognised")
    tasks = serializers.IntegerField(source="new_tasks")
    samples = serializers.IntegerField(source="new_samples")
    progress = serializers.SerializerMethodField(help_text="fraction of the file that has been read")
    column_notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="sentences about columns that no field took, and values of optional columns that were left out",
    )
    refused_file = serializers.SerializerMethodField(help_text="URL of the refused rows; null: none")

    class Meta:
        model = Ingest
        fields = [
            *("id", "file_name", "state", "error", "format", "source", "licence", "size_bytes", "sha256"),
            *(
                "bytes_read",
                "progress",
                "rows",
                "tasks",
                "samples",
                "restored_samples",
                "task_only_rows",
                "duplicates",
                "refused",
                "refused_kept",
                "awaiting_task",
            ),
            *("new_records", "column_notes", "refused_file", "created_at", "started_at", "finished_at"),
        ]

    def get_progress(self, ingest: Ingest) -> float:
        return 1.0 if ingest.state == "done" else round(ingest.bytes_read / max(1, ingest.size_bytes), 4)

    def get_refused_file(self, ingest: Ingest) -> str | None:
        if not ingest.refused:
            return None
        return reverse("api-ingest-refused", args=[ingest.pk], request=self.context.get("request"))


class MappingField(serializers.CharField):
    """JSON text, field to column."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            mapping = json.loads(super().to_internal_value(data))
        except (ValueError, RecursionError):
            raise serializers.ValidationError("This is not JSON.") from None
        if not isinstance(mapping, dict) or not all(isinstance(column, str) for column in mapping.values()):
            raise serializers.ValidationError("This is not an object of field to column.")
        if any(UNSTORABLE.search(text) for pair in mapping.items() for text in pair):
            raise serializers.ValidationError("This names a column with a character that cannot be stored.")
        return mapping


class FormatField(serializers.ChoiceField):
    """The name of a format, with hyphens or underscores."""

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(str(data).replace("_", "-"))


class GiveSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="in any format that the site reads; may be .gz or .zst")
    format = FormatField(
        choices=options(),
        required=False,
        allow_blank=True,
        default="",
        help_text="empty: recognised by the columns",
    )
    source = serializers.CharField(required=False, allow_blank=True, default="", max_length=120)  # type: ignore[assignment]
    url = serializers.URLField(required=False, allow_blank=True, default="", max_length=500)
    licence = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=120, help_text="SPDX identifier, or none"
    )
    device = serializers.CharField(required=False, allow_blank=True, default="", max_length=120)
    mapping = MappingField(
        required=False,
        allow_blank=True,
        default=dict,  # type: ignore[arg-type]  # a callable may stand for the value
        help_text="JSON, field to column, for format generic",
    )


class IngestList(generics.ListAPIView[Ingest]):
    serializer_class = IngestSerializer
    queryset = Ingest.objects.select_related("source")
    parser_classes = [MultiPartParser, FormParser]
    write_scope = Scope.CURATE

    @extend_schema(
        request={"multipart/form-data": GiveSerializer},
        responses={202: IngestSerializer},
    )
    def post(self, request: Request) -> Response:
        """Upload a file. It is read in the background: see `state` and `progress`."""
        form = GiveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        try:
            ingest = take(form.validated_data, actor_of(request))
        except IngestError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        answer = IngestSerializer(ingest, context={"request": request})
        location = reverse("api-ingest", args=[ingest.pk], request=request)
        return Response(answer.data, status.HTTP_202_ACCEPTED, headers={"Location": location})


def take(data: dict[str, Any], actor: Actor) -> Ingest:
    """Store the upload and start its ingest; if the ingest cannot start, delete the upload."""
    path, name, sha256 = store_upload(data["file"])
    provenance = Provenance(data["source"], data["url"], data["licence"])
    file = IncomingFile(path, name, data["format"], provenance, data["device"], data["mapping"], sha256)
    try:
        return start_ingests([file], actor)[0]
    except (IngestError, OSError, DatabaseError):
        drop_upload(path)
        raise


class IngestDetail(generics.RetrieveAPIView[Ingest]):
    serializer_class = IngestSerializer
    queryset = Ingest.objects.select_related("source")


class IngestCancel(generics.GenericAPIView[Ingest]):
    queryset = Ingest.objects.select_related("source")
    serializer_class = IngestSerializer
    write_scope = Scope.CURATE

    @extend_schema(
        request=None,
        responses={200: IngestSerializer, 409: OpenApiResponse(ProblemSerializer, "it has ended already")},
    )
    def post(self, request: Request, pk: str) -> Response:
        """Cancel an own ingest; administrators can cancel any. Stored rows are kept. Repeating the request changes
        nothing.
        """
        ingest = self.get_object()
        try:
            cancel_ingest(ingest, actor_of(request))
        except IngestError as error:
            raise Conflict(error) from error
        return Response(self.get_serializer(ingest).data)


class IngestRefused(FileView):
    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: str) -> FileResponse:
        """The refused rows as JSON Lines with _line, _field and _reason; the corrected file can be uploaded again."""
        return refused_response(get_object_or_404(Ingest.objects.all(), pk=pk))
