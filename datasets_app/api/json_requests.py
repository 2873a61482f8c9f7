"""Base classes of the serializers that read a JSON body: each value has the JSON type that the schema declares.

Django REST framework converts where it can: 1 becomes the text "1", and false the UUID of zeros. A request with such a
value has an error, and the schema says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import Model
from rest_framework import serializers

Row = TypeVar("Row", bound=Model)

TEXT = "This is to be a text."
WHOLE_NUMBER = "This is to be a whole number, without quotes."
NUMBER = "This is to be a number, without quotes."
TRUTH = "This is to be true or false, without quotes."
TEXT_FIELDS = (
    serializers.CharField,
    serializers.UUIDField,
    serializers.DateField,
    serializers.DateTimeField,
    serializers.ChoiceField,
    serializers.RelatedField,
)


def type_fault(field: serializers.Field, value: Any) -> str:
    """Return what is wrong with the JSON type of a value or of one inside it; empty: nothing.

    Null and values of other fields are left to the field.
    """
    if value is None:
        return ""
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        return next(filter(None, (type_fault(field.child, one) for one in value)), "")
    if isinstance(field, serializers.DictField) and isinstance(value, dict):
        return next(filter(None, (type_fault(field.child, one) for one in value.values())), "")
    if isinstance(field, serializers.BooleanField):
        return "" if isinstance(value, bool) else TRUTH
    if isinstance(field, serializers.IntegerField):
        return "" if type(value) is int or (type(value) is float and value.is_integer()) else WHOLE_NUMBER
    if isinstance(field, serializers.FloatField):
        return "" if type(value) in (int, float) else NUMBER
    return TEXT if isinstance(field, TEXT_FIELDS) and not isinstance(value, str) else ""


class JsonTypes(serializers.Serializer[Any]):
    """Refuses values of another type before any field converts them."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            faults = {
                name: [fault]
                for name, field in self.fields.items()
                if not field.read_only and name in data and (fault := type_fault(field, data[name]))
            }
            if faults:
                raise serializers.ValidationError(faults)
        return super().to_internal_value(data)


class RequestSerializer(JsonTypes):
    """The body of a request."""


class ModelRequestSerializer(JsonTypes, serializers.ModelSerializer[Row]):
    """The body of a request, whose fields are those of a model."""
