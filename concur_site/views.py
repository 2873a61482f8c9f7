from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from concur_site import activity, pipeline
from datasets_app.api import reference
from datasets_app.htmx import HtmxRequest
from datasets_app.models import AuditEntry
from eval_app.models import Verification

LATEST = 8


def home(request: HtmxRequest) -> HttpResponse:
    context = {
        "stations": pipeline.stations(),
        "running": Verification.objects.for_list().filter(state="running")[:LATEST],
        "finished": Verification.objects.for_list().finished().order_by("-finished_at")[:LATEST],
        "deeds": activity.deeds(AuditEntry.objects.all()[:LATEST]),
    }
    return render(request, "home/_live.html" if request.htmx else "home/home.html", context)


class Stats(APIView):
    """The counts of the home page."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        numbers = pipeline.numbers()
        return Response({**numbers, "stations": pipeline.as_json(pipeline.stations(numbers))})


@cache
def api_reference() -> SafeString:
    """The resources and shapes of the API's page; made once a process, since it changes with the code alone."""
    told = reference.read(SchemaGenerator().get_schema(public=True))
    return render_to_string("api/_reference.html", {"reference": told})


def api_docs(request: HttpRequest) -> HttpResponse:
    context = {"reference": api_reference(), "root": request.build_absolute_uri("/api/v1/")}
    return render(request, "api/docs.html", context)


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """For a load balancer: the process answers and the database does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})
