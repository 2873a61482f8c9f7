"""A sample's evidence in the API: one record per device, with the columns of exported files."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from datasets_app.export.columns import OF_EVIDENCE, Column
from datasets_app.models import Sample

FIELDS: dict[str, type[serializers.Field[Any, Any, Any, Any]]] = {
    "string": serializers.CharField,
    "float64": serializers.FloatField,
    "int64": serializers.IntegerField,
    "bool": serializers.BooleanField,
}


def field(column: Column) -> serializers.Field[Any, Any, Any, Any]:
    return FIELDS[column.type](allow_null=True, help_text=column.means)


EvidenceSerializer: type[serializers.Serializer[Any]] = type(
    "EvidenceSerializer",
    (serializers.Serializer,),
    {
        "__doc__": "The result of a sample's verifications on one device.",
        "__module__": __name__,
        "headline": serializers.BooleanField(help_text="whether the sample's own fields repeat it"),
        **{column.name: field(column) for column in OF_EVIDENCE},
    },
)


def evidence_of(sample: Sample) -> list[dict[str, Any]]:
    """Return one record per device, the headline first; one query."""
    rows = sample.evidence.reference_first().values_list("is_headline", *(c.path for c in OF_EVIDENCE))
    return [
        {"headline": headline}
        | {column.name: column.plain(value) for column, value in zip(OF_EVIDENCE, values, strict=True)}
        for headline, *values in rows
    ]
