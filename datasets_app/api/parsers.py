"""Request parsers of the API: bounded in bytes and depth, accepting only text that can be stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from rest_framework import parsers, status
from rest_framework.exceptions import APIException, ParseError, ValidationError

MOST_BYTES = 2 * 2**20  # a thousand sample ids are 40 KB, the longest comment 80 KB
MOST_DEPTH = 12  # a recipe with nested rules has eight


class TooLargeError(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"The body is larger than {MOST_BYTES:,} bytes. Files go to /api/v1/ingests/."


class Bounded(parsers.BaseParser):
    """Refuses a body by its declared length, before any of it is read."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        if declared_bytes(parser_context) > MOST_BYTES:
            raise TooLargeError
        return super().parse(stream, media_type, parser_context)


def declared_bytes(parser_context: Mapping[str, Any] | None) -> int:
    """Return the declared length; WSGI servers pass an empty body if there is none."""
    request = (parser_context or {}).get("request")
    text = str(request.META.get("CONTENT_LENGTH") or "0") if request is not None else "0"
    return int(text) if text.isdecimal() else 0


class JSONParser(parsers.BaseParser):
    """Strict JSON in UTF-8: no NaN or infinity, no lone surrogate, no NUL, no deep nesting."""

    media_type = "application/json"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise TooLargeError
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not JSON in UTF-8: {error}.") from None
        refuse_nul(data)
        return data


class FormParser(Bounded, parsers.FormParser):
    """For the Hub's protocol, whose clients send lists of paths as forms."""


class MultiPartParser(Bounded, parsers.MultiPartParser):
    """As above."""


def refuse_nul(data: Any) -> None:
    """Raise ValidationError for the first NUL character, by the path of its field, and ParseError for deep nesting."""
    for path, text in texts(data, ()):
        if "\x00" in text:
            field = ".".join(path).replace("\x00", "") or "detail"
            raise ValidationError({field: ["This text contains a NUL character, which cannot be stored."]})


def texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text and every key inside a value, with its path."""
    if len(path) > MOST_DEPTH:
        raise ParseError(f"The body is nested more than {MOST_DEPTH} levels deep.")
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), key
            yield from texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, (*path, str(index)))
