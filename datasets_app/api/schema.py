"""What the OpenAPI schema describes."""

from typing import Any

ROOT = "/api/v1/"


def only_the_api(endpoints: list[tuple[Any, ...]], **_: Any) -> list[tuple[Any, ...]]:
    """A page may share a view with the API, such as a release's files; the schema names the API's address alone."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(ROOT)]
