"""`fields`: the columns of a list that a client wants, so that the others are not sent."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request


def fields_parameter(names: Iterable[str]) -> OpenApiParameter:
    """Return the parameter `fields` of a list that has these fields."""
    name = "|".join(names)
    return OpenApiParameter(
        "fields",
        {"type": "string", "pattern": f"^({name})(,({name}))*$"},
        description="names of the fields to send, separated by commas; default: all",
    )


def fields_of(request: Request, known: Sequence[str]) -> list[str]:
    """Return the wanted fields in the list's order, all if none are named. Raises ValidationError."""
    if "fields" not in request.query_params:
        return list(known)
    wanted = {name.strip() for name in request.query_params["fields"].split(",") if name.strip()}
    if unknown := sorted(wanted - set(known)):
        sentence = f"There is no field {', '.join(unknown)[:200]}; there are {', '.join(known)}."
        raise ValidationError({"fields": [sentence]})
    if not wanted:
        raise ValidationError({"fields": [f"Name at least one of {', '.join(known)}, or leave fields out."]})
    return [name for name in known if name in wanted]


def only(rows: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in names} for row in rows]


def filters(request: Request) -> QueryDict:
    """Return the parameters without `fields`, which narrows no rows."""
    parameters = request.query_params.copy()
    parameters.pop("fields", None)
    return parameters
