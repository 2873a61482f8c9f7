"""The Hub's protocol: what `datasets`, huggingface_hub and HfFileSystem ask for with HF_ENDPOINT set to this site.

export/hub.py says what they are told; these views find the release for its reader and answer in the Hub's form, errors
in JSON with X-Error-Code and X-Error-Message, which the clients turn into their own exceptions.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.http import quote_etag
from rest_framework.authentication import SessionAuthentication, get_authorization_header
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import actor_of
from datasets_app.api.authentication import TokenAuthentication
from datasets_app.api.errors import handle
from datasets_app.api.parsers import FormParser, JSONParser, MultiPartParser
from datasets_app.api.permissions import ReadsReleases
from datasets_app.export import download, hub
from datasets_app.models import Release
from datasets_app.models.token import PREFIX

MOST_PATHS = 1000


class HubTokenAuthentication(TokenAuthentication):
    """Takes the site's tokens. One of another Hub, which clients send by themselves, is as good as none."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        text = get_authorization_header(request).decode("latin-1").partition(" ")[2]
        return super().authenticate(request) if text.strip().startswith(PREFIX) else None


class HubView(APIView):
    """One address of the protocol; a public release needs no token."""

    authentication_classes = [HubTokenAuthentication, SessionAuthentication]
    permission_classes = [ReadsReleases]
    schema = None  # docs/hub.md names the addresses

    def find(self, request: Request, namespace: str, name: str, revision: str = hub.MAIN) -> Release:
        release = hub.find_release(namespace, name, actor_of(request))
        hub.require_revision(release, revision)
        return release

    def handle_exception(self, exc: Exception) -> Any:
        if isinstance(exc, hub.HubError):
            return error_response(exc.status, exc.code, str(exc))
        return super().handle_exception(exc)

    def get_exception_handler(self) -> Any:
        return handle_as_the_hub

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        # Clients ask for what they want in the address, not by Accept.
        return super().perform_content_negotiation(request, force=True)


def error_response(status: int, code: str, sentence: str) -> JsonResponse:
    headers = {"X-Error-Message": header_text(sentence)} | ({"X-Error-Code": code} if code else {})
    return JsonResponse({"error": sentence, "detail": sentence}, status=status, headers=headers)


def header_text(text: str) -> str:
    """Return the text as a header can hold it: ASCII on one line."""
    return " ".join(text.encode("ascii", "replace").decode().split())


def handle_as_the_hub(error: Exception, context: dict[str, Any]) -> JsonResponse | None:
    """Answer an error of the framework, such as a token that is revoked, with the Hub's headers as well."""
    response = handle(error, context)
    if response is not None:
        detail = str(getattr(error, "detail", error))
        response.headers["X-Error-Message"] = header_text(detail)
    return response


class Repository(HubView):
    def get(self, request: Request, namespace: str, name: str, revision: str = hub.MAIN) -> Response:
        """Describe a release, its files included."""
        return Response(hub.repository(self.find(request, namespace, name, revision)))


class Refs(HubView):
    def get(self, request: Request, namespace: str, name: str) -> Response:
        """Name the one branch."""
        return Response(hub.refs(self.find(request, namespace, name)))


class Metadata(HubView):
    def get(self, request: Request, namespace: str, name: str) -> Response:
        """Describe a release in MLCommons' Croissant, with the addresses of its files."""
        release = self.find(request, namespace, name)

        def address(path: str) -> str:
            where = (namespace, name, hub.commit_of(release), path)
            return request.build_absolute_uri(reverse("hub-file", args=where))

        return Response(hub.metadata(release, address))


class Tree(HubView):
    def get(self, request: Request, namespace: str, name: str, revision: str, path: str = "") -> Response:
        """List the files and folders below a folder."""
        release = self.find(request, namespace, name, revision)
        recursive = request.query_params.get("recursive", "").lower() in ("1", "true")
        return Response(hub.tree(release, path, recursive))


class PathsInfo(HubView):
    open_methods = ("POST",)  # it reads: the paths are too long for an address
    parser_classes = [JSONParser, FormParser, MultiPartParser]

    def post(self, request: Request, namespace: str, name: str, revision: str) -> Response:
        """The entries of the paths in the body."""
        release = self.find(request, namespace, name, revision)
        return Response(hub.paths_info(release, asked_paths(request.data)))


def asked_paths(data: Any) -> list[str]:
    """Return the paths of a JSON or form body. Raises HubError."""
    given = (
        data.getlist("paths")
        if hasattr(data, "getlist")
        else data.get("paths")
        if isinstance(data, dict)
        else None
    )
    paths = [given] if isinstance(given, str) else given
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise hub.HubError(400, "", 'Send {"paths": ["README.md"]}: a list of paths.')
    if len(paths) > MOST_PATHS:
        raise hub.HubError(
            400, "", f"At most {MOST_PATHS} paths are answered at once; {len(paths):,} were sent."
        )
    return paths


class Resolve(HubView):
    throttle_classes: list[Any] = []  # a download requests many files, and parts of each

    def get(self, request: Request, namespace: str, name: str, revision: str, path: str) -> HttpResponseBase:
        """A file of a release, or a range of it."""
        release = self.find(request, namespace, name, revision)
        return send(request._request, release, path)


def send(request: HttpRequest, release: Release, path: str) -> HttpResponseBase:
    export = hub.find_file(release, path)
    response = download.answer(request, export)
    response.headers["X-Repo-Commit"] = hub.commit_of(release)
    response.headers["X-Linked-Etag"] = quote_etag(export.sha256)
    response.headers["X-Linked-Size"] = str(export.size_bytes)
    return response
