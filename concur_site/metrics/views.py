"""`/metrics`: for Prometheus, by a token or from a network that a setting names."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from concur_site.metrics import collector
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.addresses import client_address
from datasets_app.accounts.roles import Scope
from datasets_app.api.permissions import SAFE, HasScope

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MayScrape(HasScope):
    """Administrators, and addresses of CONCUR_METRICS_NETWORKS: nobody by default. Metrics name the hosts.

    An administrator's token with the scope `metrics` is enough, so that a scraper holds nothing that could change the
    site.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        if is_from_network(request._request):
            return True
        if not super().has_permission(request, view):
            return False
        self.message = f"This needs the scope {Scope.METRICS}."
        return request.method not in SAFE or actor_of(request).may(Scope.METRICS)


def is_from_network(request: HttpRequest) -> bool:
    try:
        address = ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_NETWORKS)


class Metrics(APIView):
    """Everything that is measured, as text."""

    permission_classes = [MayScrape]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """Return the metrics of all processes of the site."""
        return HttpResponse(collector.exposition(), content_type=CONTENT_TYPE)
