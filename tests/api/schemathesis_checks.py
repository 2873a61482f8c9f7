"""A check for schemathesis: the fields for which a request that is valid by its schema may still be refused.

An OpenAPI schema says what a request alone can tell. Whether a name is taken, an id exists, or a text is a query or a
recipe depends on what is stored, or on a grammar. Each such field is named here with its reason, and a refusal of any
other one is a contradiction of the schema.
"""

from typing import Any

import schemathesis

EXISTS = "names a row that must be there, and be open to the caller"
FREE = "is a name that must not be taken"
GRAMMAR = "is in a language of its own, which the stage reads"
TOGETHER = "is limited by another field"
ANYWHERE = "*"  # the places of the faults of a recipe
COLUMNS = "names columns, and not the same ones in each media type"
POSITION = "is a position that the list gave out"
FILTERS = "are values of the query line's grammar"
UNREADABLE = "the file is in none of the formats"
PROSE = "takes no invisible characters"
RUBRIC = "is of the newest rubric"
SPLIT = {"split": "is a split of this release", "where": GRAMMAR, "orderby": GRAMMAR}
IN_USE = "is limited by what is stored"
MAY_BE_REFUSED: dict[str, dict[str, str]] = {
    "POST /api/v1/bulk-actions/": {
        "detail": f"`samples` {EXISTS}; `query` {GRAMMAR}; which of the verb's fields are needed {TOGETHER}"
    },
    "POST /api/v1/edits/": {"base": EXISTS, "reason": PROSE, "reasoning": PROSE, "kernel_code": PROSE},
    "POST /api/v1/ingests/": {
        "mapping": GRAMMAR,
        "url": "is an address as Django reads one",
        "detail": UNREADABLE,
    },
    "POST /api/v1/notes/": {"sample": EXISTS, "anchors": TOGETHER, "comment": PROSE},
    "POST /api/v1/preferences/": {"left": EXISTS, "right": EXISTS, "reason": PROSE},
    "POST /api/v1/queues/": {
        "reviewers": EXISTS,
        "query": GRAMMAR,
        "facet": TOGETHER,
        "name": FREE,
        "words": PROSE,
    },
    "POST /api/v1/suggestions/": {"detail": f"the name or the version {PROSE}"},
    "POST /api/v1/recipes/": {"name": FREE, ANYWHERE: f"the definition {GRAMMAR}"},
    "POST /api/v1/releases/": {"name": FREE, "recipe": EXISTS, ANYWHERE: f"the definition {GRAMMAR}"},
    "POST /api/v1/reviews/": {"sample": EXISTS, "scores": RUBRIC, "reasons": RUBRIC, "comment": PROSE},
    "POST /api/v1/reviews/{id}/withdraw/": {"reason": PROSE},
    "POST /api/v1/samples/{id}/withdraw/": {"reason": PROSE},
    "POST /api/v1/ingests/{id}/undo/": {"reason": PROSE},
    "POST /api/v1/notes/{id}/entries/": {"text": PROSE, "target": EXISTS},
    "POST /api/v1/preferences/{id}/withdraw/": {"reason": PROSE},
    "POST /api/v1/rubric/": {
        "criteria": GRAMMAR,
        "reasons": GRAMMAR,
        "reason_required_for": TOGETHER,
        "note": GRAMMAR,
    },
    "POST /api/v1/syntheses/": {
        "detail": f"the endpoint {EXISTS}, and so do tasks; a template's facts {TOGETHER}",
        "sampling": "has the ranges of the endpoint's parameters",
    },
    "POST /api/v1/tags/": {"name": f"{FREE}, whose letters Unicode decides"},
    "POST /api/v1/verifications/": {"sample": EXISTS, "requires": GRAMMAR},
    "POST /api/v1/views/": {"detail": f"the name {FREE}; `query` {GRAMMAR}"},
    "GET /api/v1/agreement/": {"field": "is a field of the newest rubric", "queue": EXISTS},
    "GET /api/v1/samples/": {"fields": COLUMNS, "cursor": POSITION, ANYWHERE: FILTERS},
    "GET /api/v1/tasks/": {"fields": COLUMNS, "cursor": POSITION, ANYWHERE: FILTERS},
    "GET /api/v1/leaderboard/": {ANYWHERE: FILTERS},
    "POST /api/v1/releases/{name}/exports/": {
        "detail": f"the release {IN_USE}",
        "options": f"{TOGETHER}: each format takes some of them",
    },
    "GET /api/v1/releases/{name}/difference/": {"from": f"another release {EXISTS}"},
    "GET /api/v1/releases/{name}/filter/": SPLIT,
    "GET /api/v1/releases/{name}/rows/": SPLIT,
    "GET /api/v1/releases/{name}/search/": SPLIT,
    "GET /api/v1/releases/{name}/statistics/": SPLIT,
    "PATCH /api/v1/releases/{name}/publication/": {
        "yank_reason": IN_USE,
        "description": PROSE,
        "readers": EXISTS,
        "superseded_by": EXISTS,
    },
    "PATCH /api/v1/hosts/{name}/": {"hold": IN_USE},
    "PATCH /api/v1/queues/{id}/": {
        "reviewers": EXISTS,
        "query": GRAMMAR,
        "facet": TOGETHER,
        "name": FREE,
        "words": PROSE,
        "queue": IN_USE,
    },
    "PATCH /api/v1/tags/{name}/": {"name": f"{FREE}, whose letters Unicode decides"},
    "PATCH /api/v1/views/{id}/": {"detail": f"the name {FREE}; `query` {GRAMMAR}"},
    "PUT /api/v1/recipes/{name}/": {"name": FREE, ANYWHERE: f"the definition {GRAMMAR}"},
    "POST /api/v1/recipes/{name}/versions/{number}/": {"recipe": IN_USE},
    "POST /api/v1/runs/": {"source": EXISTS, "detail": f"the source {EXISTS}, with samples of the tasks"},
}


@schemathesis.check
def a_refusal_names_a_field_that_may_be_refused(ctx: Any, response: Any, case: Any) -> None:
    if not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    allowed = MAY_BE_REFUSED.get(case.operation.label, {})
    refused = {name.partition(".")[0] for name in response.json().get("errors", {"detail": []})}
    unexpected = refused - {"cursor", *allowed} if ANYWHERE not in allowed else set()
    assert not unexpected, f"{case.operation.label} refused {sorted(unexpected)}: {response.json()['detail']}"
