"""Refuses a request that is too large, or that the disk has no room for, before its body is stored."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from datasets_app.accounts.problem import problem_response
from datasets_app.ingest.budget import check_disk
from datasets_app.ingest.rows import IngestError

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def upload_limit(get_response: GetResponse) -> GetResponse:
    """Return middleware that must come before any other that reads the body, such as the CSRF check."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        size = content_length(request)
        if size > settings.UPLOAD_BYTES:
            most = settings.UPLOAD_BYTES // 2**20
            return answer(
                request,
                413,
                f"The upload has {size / 2**20:,.0f} MB; at most {most:,} MB are taken at once (CONCUR_UPLOAD_MB). "
                "Nothing was stored: split the file, compress it, or put it into the server inbox.",
            )
        if is_upload(request):
            try:
                # Django's temporary file, and the stored one.
                check_disk(2 * size, "Nothing was stored: make room, then upload it again.")
            except IngestError as error:
                return answer(request, 507, str(error))
        return get_response(request)

    return middleware


def is_upload(request: HttpRequest) -> bool:
    return request.method == "POST" and (request.content_type or "") == "multipart/form-data"


def content_length(request: HttpRequest) -> int:
    """Return the length of the body, of which a server reads no more; 0 if it is not a number."""
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() and len(text) < 20 else 0


def answer(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return problem_response(status, sentence)
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
