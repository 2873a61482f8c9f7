"""Reads a list's filters from the parameters of its URL."""

from typing import TypeVar

from rest_framework import serializers
from rest_framework.request import Request

Filter = TypeVar("Filter", bound=serializers.BaseSerializer)


def filter_of(request: Request, kind: type[Filter]) -> Filter:
    """Return the valid filter. Raises ValidationError by parameter, also for an empty one: left out means all rows."""
    wanted = kind(data=request.query_params.dict())
    wanted.is_valid(raise_exception=True)
    return wanted
