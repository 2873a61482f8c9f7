"""`/metrics`: for Prometheus, by an administrator's token or from a network that a setting names."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from concur_site.metrics import collector
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.addresses import client_address
from datasets_app.accounts.roles import Role, Scope, role_of
from datasets_app.api.authentication import TokenAuthentication

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MayScrape(BasePermission):
    """An administrator's token, of which the scope `read` is enough, or an address of CONCUR_METRICS_NETWORKS.

    A browser's session does not count: a scraper has none.
    """

    message = (
        "Metrics are for an administrator's token (its scope `read` is enough), or for the networks that "
        "CONCUR_METRICS_NETWORKS names."
    )

    def has_permission(self, request: Request, view: APIView) -> bool:
        if is_from_network(request._request):
            return True
        return role_of(request.user) == Role.ADMINISTRATOR and actor_of(request).may(Scope.READ)


def is_from_network(request: HttpRequest) -> bool:
    try:
        address = ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in network for network in settings.METRICS_NETWORKS)


class Metrics(APIView):
    """Everything that is measured, as text."""

    authentication_classes = [TokenAuthentication]
    permission_classes = [MayScrape]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        """Return the metrics of all processes of the site."""
        return HttpResponse(collector.exposition(), content_type=CONTENT_TYPE)
