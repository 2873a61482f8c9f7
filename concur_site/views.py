from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from concur_site import activity, pipeline
from concur_site.health import report
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.api import reference
from datasets_app.models import AuditEntry, Verification
from datasets_app.views.htmx import HtmxRequest

LATEST = 8


@require(Scope.READ)
def home(request: HtmxRequest) -> HttpResponse:
    context = {
        "stations": pipeline.stations(),
        "running": Verification.objects.for_list().filter(state="running")[:LATEST],
        "finished": Verification.objects.for_list().finished().order_by("-finished_at")[:LATEST],
        "health": report.current(),
        "deeds": activity.deeds(AuditEntry.objects.all()[:LATEST]),
    }
    return render(request, "home/_live.html" if request.htmx else "home/home.html", context)


class Stats(APIView):
    """Counts of the home page."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        numbers = pipeline.numbers()
        return Response({**numbers, "stations": pipeline.as_json(pipeline.stations(numbers))})


@cache
def api_reference() -> SafeString:
    """Return the resources and schemas of the API's page, computed once per process: only code changes them."""
    document = reference.read(SchemaGenerator().get_schema(public=True))
    return render_to_string("api/_reference.html", {"reference": document})


@require(Scope.READ)
def api_docs(request: HttpRequest) -> HttpResponse:
    context = {"reference": api_reference(), "root": request.build_absolute_uri("/api/v1/")}
    return render(request, "api/docs.html", context)
