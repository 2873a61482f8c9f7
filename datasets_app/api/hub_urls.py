"""Addresses of the Hub's protocol, at the root of the site: its clients know no other place."""

from django.urls import path

from datasets_app.api.hub import Metadata, PathsInfo, Refs, Repository, Resolve, Tree

API = "api/datasets/<slug:namespace>/<slug:name>"

urlpatterns = [
    path(API, Repository.as_view(), name="hub-repository"),
    path(f"{API}/revision/<str:revision>", Repository.as_view(), name="hub-revision"),
    path(f"{API}/refs", Refs.as_view(), name="hub-refs"),
    path(f"{API}/croissant", Metadata.as_view(), name="hub-croissant"),
    path(f"{API}/tree/<str:revision>", Tree.as_view(), name="hub-tree"),
    path(f"{API}/tree/<str:revision>/<path:path>", Tree.as_view(), name="hub-folder"),
    path(f"{API}/paths-info/<str:revision>", PathsInfo.as_view(), name="hub-paths-info"),
    path(
        "datasets/<slug:namespace>/<slug:name>/resolve/<str:revision>/<path:path>",
        Resolve.as_view(),
        name="hub-file",
    ),
]
