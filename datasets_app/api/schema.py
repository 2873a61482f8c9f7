"""Selects the endpoints of the OpenAPI schema."""

from typing import Any

ROOT = "/api/v1/"


def only_the_api(endpoints: list[tuple[Any, ...]], **_: Any) -> list[tuple[Any, ...]]:
    """Return the endpoints below /api/: a page may share a view with the API, such as a release's files."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(ROOT)]
