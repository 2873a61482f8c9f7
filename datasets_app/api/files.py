"""What the API's files have in common: the content that is stored, whatever the Accept header says."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.views import APIView

from datasets_app.export.formats import FORMATS

JSON = "application/json"


class FileView(APIView):
    """A view whose answer is a file: its media type is the file's, so that there is nothing to negotiate."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        return super().perform_content_negotiation(request, force=True)


def file_types(status: int, *others: str) -> dict[tuple[int, str], Any]:
    """Return the answers of a status for the schema: the bytes of a file, by the media types of the formats.

    A JSON file is described as what it holds, since every reader of the schema parses that type.
    """
    names = dict.fromkeys([*(made.media_type for made in FORMATS.values()), *others])
    return {(status, name): OpenApiTypes.ANY if name == JSON else OpenApiTypes.BINARY for name in names}
