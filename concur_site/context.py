"""What every page's frame shows."""

from typing import Any

from django.http import HttpRequest

from datasets_app.roles import Role, Scope, may, role_of

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
    user = request.user
    here = request.path.split("/")[1]
    here = {"samples": "browse", "tasks": "browse"}.get(here, here)
    return {
        "stages": [
            {"name": name, "title": title, "url": url, "here": name == here} for name, title, url in STAGES
        ],
        "role": role_of(user),
        "may_annotate": may(user, Scope.ANNOTATE),
        "may_curate": may(user, Scope.CURATE),
        "is_administrator": role_of(user) == Role.ADMINISTRATOR,
    }
