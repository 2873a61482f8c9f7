"""Serve a release's file: whole or a range, with the validators that let a client resume and check."""

from __future__ import annotations

import base64
import logging
from pathlib import PurePosixPath

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import parse_etags, quote_etag

from datasets_app.export import ranges, sending
from datasets_app.export.archive import ArchiveFile
from datasets_app.export.errors import ExportError
from datasets_app.export.formats import FORMATS
from datasets_app.export.request import name_of
from datasets_app.export.store import StoreSilentError, release_files
from datasets_app.models import Export, JobState, Publication, Release
from datasets_app.models.release import ARCHIVE

logger = logging.getLogger(__name__)
PLAIN = "text/plain; charset=utf-8"
TYPES = {".json": "application/json", ".md": "text/markdown; charset=utf-8"}
MEDIA_TYPES = {made.suffix: made.media_type for made in FORMATS.values()} | {"zip": "application/zip"}
RETRY_SECONDS = "30"
SILENT = "The store of files does not answer. Nothing is lost; ask again in a moment."
LOST = "The file is not where it was written. An administrator can write it again: manage.py release rebuild {name}"


def find(release: Release, path: str) -> Export:
    """Return the finished file of that path. Only paths that the site wrote are known."""
    export = release.exports.filter(path=path).first()
    if export is None:
        raise Http404(f"Release {release.name} has no file {path[:200]!r}.")
    if export.state != JobState.DONE:
        raise Http404(f"{path} is {export.state}; it can be downloaded when it is done.")
    export.release = release
    return export


def answer(request: HttpRequest, export: Export) -> HttpResponseBase:
    """Answer GET or HEAD of one file: 200, 206, 304 or 416; 302 or 503 where files are in a bucket."""
    try:
        response = body(request, export)
    except StoreSilentError as error:
        logger.warning("%s of release %s: %s", export.path, export.release.name, error)
        return HttpResponse(SILENT, status=503, content_type=PLAIN, headers={"Retry-After": RETRY_SECONDS})
    except (ExportError, OSError) as error:
        raise Http404(LOST.format(name=export.release.name)) from error
    facts = warnings(export.release) if response.status_code == 302 else headers(export)
    for name, value in facts.items():
        response.headers[name] = value
    return response


def headers(export: Export) -> dict[str, str]:
    digest = base64.b64encode(bytes.fromhex(export.sha256)).decode()
    return {
        "ETag": quote_etag(export.sha256),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Repr-Digest": f"sha-256=:{digest}:",
        "Content-Disposition": f'attachment; filename="{file_name(export)}"',
        "X-Content-Type-Options": "nosniff",
        **warnings(export.release),
    }


def warnings(release: Release) -> dict[str, str]:
    """Return the headers that say that the release is yanked, in the general form and in the one that the Hub's
    clients print."""
    words = yank_sentence(release)
    return {"Warning": f'299 - "{words}"', "X-HF-Warning": f"yanked; {words}"} if words else {}


def yank_sentence(release: Release) -> str:
    """Return why the release is yanked, as a header can hold it: ASCII on one line; empty if it is not."""
    publication = Publication.of(release)
    if not publication.is_yanked:
        return ""
    words = f"Release {release.name} is yanked: {publication.yank_reason}".replace('"', "'")
    return " ".join(words.encode("ascii", "replace").decode().split())[:300]


def file_name(export: Export) -> str:
    return f"{export.release.name}-{export.path.rsplit('/', 1)[-1]}"


def body(request: HttpRequest, export: Export) -> HttpResponseBase:
    """Return the answer without its validators. Raises ExportError, OSError if the file is not as it was written."""
    path = None
    if export.format != ARCHIVE:
        store, name = release_files(), name_of(export.release, export.path)
        if store.size_bytes(name) != export.size_bytes:
            raise ExportError(f"{name} has another size.")
        path = store.local_path(name)
    wanted = request.headers.get("If-None-Match")
    if wanted and etag_matches(wanted, export):
        return HttpResponse(status=304)
    if path and sending.accel_path(path):  # nginx answers ranges itself
        return sending.send_file(path, media_type(export))
    try:
        part = asked_range(request, export)
    except ranges.UnsatisfiableError:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{export.size_bytes}"})
    if address := elsewhere(request, export):
        return HttpResponse(status=302, headers={"Location": address, "Cache-Control": "no-store"})
    return whole(request, export) if part is None else piece(request, export, part)


def elsewhere(request: HttpRequest, export: Export) -> str:
    """Return the signed address that a reader fetches the file from, if the site is to send none itself.

    A condition on the range is the site's to answer: the bucket's ETag is not the SHA-256.
    """
    if request.method != "GET" or export.format == ARCHIVE or "If-Range" in request.headers:
        return ""
    name = name_of(export.release, export.path)
    return release_files().address(name, file_name=file_name(export), media_type=media_type(export))


def content(export: Export, part: tuple[int, int] | None = None) -> HttpResponseBase:
    """Return the file, or `part`, its first byte and length."""
    store, name = release_files(), name_of(export.release, export.path)
    path = store.local_path(name)
    if export.format == ARCHIVE:
        archive = ArchiveFile(export, *(part or ()))
        if path is None:
            return sending.send_stream(archive, media_type(export), archive.length)
        return FileResponse(archive, content_type=media_type(export))
    if path is None:
        first, length = part or (0, export.size_bytes)
        file = store.open(name)
        file.seek(first)
        return sending.send_stream(file, media_type(export), length)
    return sending.send_file(path, media_type(export), part)


def etag_matches(header: str, export: Export) -> bool:
    tags = {tag.removeprefix("W/") for tag in parse_etags(header)}
    return "*" in tags or quote_etag(export.sha256) in tags


def asked_range(request: HttpRequest, export: Export) -> ranges.ByteRange | None:
    header, condition = request.headers.get("Range"), request.headers.get("If-Range")
    if not header or (condition and condition.strip() != quote_etag(export.sha256)):
        return None
    return ranges.parse(header, export.size_bytes)


def media_type(export: Export) -> str:
    path = PurePosixPath(export.path)
    return MEDIA_TYPES.get(path.suffix[1:]) or TYPES.get(path.suffix, PLAIN)


def whole(request: HttpRequest, export: Export) -> HttpResponseBase:
    if request.method == "HEAD":
        length = {"Content-Length": str(export.size_bytes)}
        return HttpResponse(content_type=media_type(export), headers=length)
    return content(export)


def piece(request: HttpRequest, export: Export, part: ranges.ByteRange) -> HttpResponseBase:
    if request.method == "HEAD":
        response: HttpResponseBase = HttpResponse(content_type=media_type(export))
    else:
        response = content(export, (part.first, part.length))
    response.status_code = 206
    response.headers["Content-Length"] = str(part.length)
    response.headers["Content-Range"] = f"bytes {part.first}-{part.last}/{export.size_bytes}"
    return response
