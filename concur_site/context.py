"""The context of every page's frame."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from concur_site import tour
from concur_site.data_folder import COMMAND, TYPED_COMMAND
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.roles import Scope, role_of
from datasets_app.paths import path_of

STAGES = [
    ("ingest", "Ingest", "ingest", Scope.READ),
    ("browse", "Browse", "browse", Scope.READ),
    ("review", "Review", "review", Scope.ANNOTATE),
    ("verify", "Verify", "verify", Scope.READ),
    ("curate", "Curate", "curate", Scope.READ),
    ("releases", "Releases", "releases", Scope.READ),
    ("analysis", "Analysis", "analysis", Scope.READ),
]


def site(request: HttpRequest) -> dict[str, Any]:
    actor = actor_of(request)
    here = request.path.split("/")[1]
    here = {
        "synthesize": "ingest",
        "samples": "browse",
        "tasks": "browse",
        "compare": "review",
        "edits": "review",
        "leaderboard": "analysis",
        "runs": "analysis",
        "exports": "releases",
    }.get(here, here)
    return {
        "stages": [
            {"name": name, "title": title, "url": path_of(url), "here": name == here}
            for name, title, url, scope in STAGES
            if actor.may(scope)
        ],
        "role": role_of(request.user),
        "may_annotate": actor.may(Scope.ANNOTATE),
        "may_curate": actor.may(Scope.CURATE),
        "is_administrator": actor.may(Scope.ADMIN),
        "sends_mail": settings.SENDS_MAIL,
        "command": COMMAND,
        "manage": TYPED_COMMAND,
        "tour": tour.step(request.GET.get("tour", ""), actor),
    }
