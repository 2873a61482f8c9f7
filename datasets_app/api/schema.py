"""Configures the OpenAPI schema: selects its endpoints, and declares the errors that every endpoint may answer."""

from typing import Any

ROOT = "/api/v1/"

# The names of enumerations that several serializers share.
ENUM_NAMES = {
    "KindEnum": "datasets_app.models.task.TaskKind",
    "ReviewKindEnum": "datasets_app.models.review.ReviewKind",
    "SampleVerdictEnum": "datasets_app.models.sample.SampleVerdict",
    "VerdictEnum": "datasets_app.models.sample.Verdict",
    "CandidateState": "datasets_app.models.synthesis.CandidateState",
    "LoopPolicy": "datasets_app.models.loop.LoopPolicy",
    "JobState": "datasets_app.models.job.JobState",
    "EditState": "datasets_app.models.edit.EditState",
    "IngestState": "datasets_app.models.ingest.IngestState",
    "VerificationState": "eval_app.pages.listing.STATE_CHOICES",
    "NoteEntryKind": "datasets_app.models.note.NoteEntryKind",
    "NoteChangeKind": "datasets_app.api.notes.CHANGES",
}
# For drf-spectacular.
SETTINGS: dict[str, Any] = {
    "TITLE": "ConCuR Workbench",
    "DESCRIPTION": "PyTorch / reasoning / CUDA triples, the evidence for them, and releases made from them.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": ROOT,
    "PREPROCESSING_HOOKS": ["datasets_app.api.schema.only_the_api"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "datasets_app.api.schema.with_errors",
        "datasets_app.api.schema.with_alternatives",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,  # requests lack read-only fields, and say which texts may be empty
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}


def only_the_api(endpoints: list[tuple[Any, ...]], **_: Any) -> list[tuple[Any, ...]]:
    """Return the endpoints below /api/: a page may share a view with the API, such as a release's files."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(ROOT)]


PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
UNREADABLE = {
    "400": "a parameter or the body is not valid; nothing was stored",
    "413": "the body is too large",
    "415": "the body has another media type than those of this request",
    "507": "the site's disk is full; nothing was stored",
}
MEANING = UNREADABLE | {
    "401": "no token, or one that is unknown, revoked or expired",
    "403": "the account or the token lacks the right; `detail` names it",
    "404": "there is none, or none that this account may see",
    "406": "the answer has none of the media types of the Accept header",
    "429": "too many requests: wait as many seconds as Retry-After says",
}


def with_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Declare, for every operation, the errors that its parameters, its body and its answer can lead to."""
    for path, methods in result["paths"].items():
        for operation in methods.values():
            answers = operation["responses"]
            for status in errors_of(path, operation):
                answers.setdefault(status, {"description": MEANING[status]})
            for status, answer in answers.items():
                if int(status) >= 400:
                    answer["content"] = problem_content(answer.get("content", {}))
            operation["responses"] = dict(sorted(answers.items()))
    return result


# Fields of a request of which exactly one group is sent.
ALTERNATIVES = {
    "BulkRequestRequest": (("samples",), ("query",)),
    "NewAnchorRequest": (("start", "end"), ("first",)),
    "NewReleaseRequest": (("recipe",), ("definition",)),
}
# Lists whose rows are refused one by one, in the answer.
CHECKED_BY_ROW = {"NewSuggestionsRequest": "suggestions"}


def with_alternatives(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Declare which fields of a request exclude each other, and which lists take rows of any form."""
    schemas = result["components"]["schemas"]
    for name, field in CHECKED_BY_ROW.items():
        rows = schemas[name]["properties"][field]
        rows["items"] = {"anyOf": [rows["items"], {}]}
    for name, groups in ALTERNATIVES.items():
        schemas[name]["oneOf"] = [{"required": list(group)} for group in groups]
    return result


def errors_of(path: str, operation: dict[str, Any]) -> set[str]:
    found = {"401", "403", "429"}
    if "requestBody" in operation:
        found |= set(UNREADABLE)
    if operation.get("parameters"):
        found.add("400")
    if any(parameter["name"] == "format" for parameter in operation.get("parameters", [])):
        found.add("404")  # a format that there is not
    if "{" in path:
        found.add("404")
    if any("application/json" in answer.get("content", {}) for answer in operation["responses"].values()):
        found.add("406")
    return found


def problem_content(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content under its own media type: an error that says more than a problem has its own schema."""
    return {"application/problem+json": next(iter(content.values()))} if content else PROBLEM
