"""The context of every page's frame."""

from typing import Any

from django.http import HttpRequest

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope, role_of

STAGES = [
    ("ingest", "Ingest", "ingest"),
    ("browse", "Browse", "browse"),
    ("review", "Review", "review"),
    ("verify", "Verify", "verify"),
    ("curate", "Curate", "curate"),
    ("releases", "Releases", "releases"),
    ("analysis", "Analysis", "analysis"),
]


def site(request: HttpRequest) -> dict[str, Any]:
    actor = actor_of(request)
    here = request.path.split("/")[1]
    here = {"samples": "browse", "tasks": "browse"}.get(here, here)
    return {
        "stages": [
            {"name": name, "title": title, "url": url, "here": name == here} for name, title, url in STAGES
        ],
        "role": role_of(request.user),
        "may_annotate": actor.may(Scope.ANNOTATE),
        "may_curate": actor.may(Scope.CURATE),
        "is_administrator": actor.may(Scope.ADMIN),
    }
