"""Data that permitted requests of the access matrix send, by the route's name, where no object's id is in it."""

from typing import Any

from tests.curate.store import PASSED

FORM = {"rule": "0:has_trace", "splits.train": "100", "seed": "1", "do": "save"}
REASONS: dict[str, Any] = {
    "api-review-withdraw": {"reason": "misread"},
    "api-sample-withdraw": {"reason": "stolen"},
    "sample-withdraw": {"reason": "stolen"},
    "api-ingest-undo": {"reason": "wrong file"},
    "ingest-undo": {"reason": "wrong file"},
    "review-withdraw": {"reason": "misread"},
}
RECIPE_BODIES: dict[str, Any] = {
    "api-recipe": {"name": "plain", "definition": PASSED},
    "api-recipes": {"name": "fresh", "definition": PASSED},
    "recipe": {**FORM, "name": "plain"},
    "recipe-freeze": {"name": "fresh"},
    "recipe-import": {"text": "seed = 3", "name": "fresh"},
    "recipe-new": {**FORM, "name": "fresh"},
}
EMPTY_RUBRIC = {"based_on": "1", "note": "shorter", "do": "publish"} | {
    f"{rows}-{name}_FORMS": "0" for rows in ("criteria", "reasons") for name in ("TOTAL", "INITIAL")
}
RELEASE_BODIES = {
    "api-release-publication": {"visibility": "public"},
    "hub-paths-info": {"paths": ["README.md"]},
    "release-visibility": {"visibility": "public"},
    "release-yank": {"reason": "a leak", "do": "yank"},
    "release-describe": {"description": "for a trial"},
    "release-supersede": {"superseded_by": ""},
}
