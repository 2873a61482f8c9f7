"""Clusters of similar kernels within a filter: a facet of the list that is counted when it is opened."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list.clusters import clusters_of
from datasets_app.browse.list.facet_items import toggling
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query import BrowseError
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.views.browse import refusal


@require(Scope.READ)
def clusters(request: HttpRequest) -> HttpResponse:
    """Show the clusters: for htmx a part of the list page, otherwise a page of its own."""
    try:
        listing = Listing.from_params(request.GET, hidden_from(actor_of(request)))
    except BrowseError as error:
        return refusal(request, error)
    cluster_list = clusters_of(listing.filter)
    address = toggling(listing, "cluster")
    rows = [(cluster, address(cluster.name)) for cluster in cluster_list.rows]
    template = "browse/_clusters.html" if request.htmx else "browse/clusters.html"  # type: ignore[attr-defined]
    return render(request, template, {"listing": listing, "clusters": cluster_list, "rows": rows})
