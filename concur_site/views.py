import re
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.utils import OpenApiTypes, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from concur_site import activity, next_work, pipeline, tour
from concur_site.health import report
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import methods, require
from datasets_app.accounts.roles import Scope
from datasets_app.api import reference
from datasets_app.models import Verification
from datasets_app.views.htmx import HtmxRequest

LATEST = 8
# The columns of a recent verification that the page shows.
SHOWN = (
    *("outcome", "stage", "wanted_device", "device", "speedup", "started_at", "finished_at"),
    "sample__task__name",
)
ADDRESSES = {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}


@require(Scope.READ)
def home(request: HtmxRequest) -> HttpResponse:
    actor = actor_of(request)
    numbers, health = pipeline.numbers(actor), report.current()
    recent = Verification.objects.select_related("sample__task").only(*SHOWN)
    context = {
        "stations": pipeline.stations(actor, numbers),
        "running": recent.running()[:LATEST],
        "finished": recent.finished().order_by("-finished_at")[:LATEST],
        "health": health,
        "deeds": activity.newest_deeds(actor, LATEST),
    }
    if request.htmx:
        return render(request, "home/_live.html", context)
    context["work"] = next_work.next_work(actor, health, numbers["samples"] - numbers["reviewed"])
    context["tour_url"] = tour.start() if actor.may(Scope.ANNOTATE) else ""
    return render(request, "home/home.html", context)


@cache
def collections() -> list[str]:
    """Return the addresses of the API that list or count things: those of one segment that can be read."""
    addresses = {path for path, _, method, _ in EndpointEnumerator().get_api_endpoints() if method == "GET"}
    return sorted(path for path in addresses if re.fullmatch(r"/api/v1/[^/{]+/", path))


class Root(APIView):
    """Where everything is."""

    @extend_schema(tags=["root"], responses={200: ADDRESSES})
    def get(self, request: Request) -> Response:
        """The collections by name, with their addresses."""
        named = {path.split("/")[-2]: path for path in collections()}
        named |= {"schema": reverse("schema"), "docs": reverse("api-docs")}
        return Response({name: request.build_absolute_uri(path) for name, path in named.items()})


class Stats(APIView):
    """Counts of the home page."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        numbers = pipeline.numbers(actor_of(request))
        return Response(
            {**numbers, "stations": pipeline.as_json(pipeline.stations(actor_of(request), numbers))}
        )


@cache
def api_reference() -> SafeString:
    """Return the resources and schemas of the API's page, computed once per process: only code changes them."""
    document = reference.read(SchemaGenerator().get_schema(public=True))
    return render_to_string("api/_reference.html", {"reference": document})


@cache
def api_document(media_type: str) -> Any:
    """Return the OpenAPI document as YAML or JSON, computed once per process: it takes a second, and strangers ask for
    it.
    """
    kinds: list[Any] = SpectacularAPIView.renderer_classes
    kind = next(kind for kind in kinds if kind.media_type == media_type)
    return kind().render(SchemaGenerator().get_schema(public=True), renderer_context={})


class Schema(SpectacularAPIView):
    """The OpenAPI document, as YAML or JSON."""

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        kind = str(request.accepted_renderer.media_type)
        name = self._get_filename(request, self.api_version)
        disposition = {"Content-Disposition": f'inline; filename="{name}"'}
        return HttpResponse(api_document(kind), content_type=kind, headers=disposition)


@login_not_required  # as the OpenAPI document
@methods("GET")
def api_docs(request: HttpRequest) -> HttpResponse:
    context = {"reference": api_reference(), "root": request.build_absolute_uri("/api/v1/")}
    return render(request, "api/docs.html", context)
