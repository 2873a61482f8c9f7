"""Which tables a backup holds, and their columns: those of all models at one state of the migrations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.apps.registry import Apps
from django.db.models import AutoField, Field

from concur_site.backup.cells import KINDS, Kind

# By Django's internal types, which know foreign keys by the type that they refer to.
KIND_OF = {
    "AutoField": "int",
    "BigAutoField": "int",
    "SmallAutoField": "int",
    "BigIntegerField": "int",
    "IntegerField": "int",
    "PositiveBigIntegerField": "int",
    "PositiveIntegerField": "int",
    "PositiveSmallIntegerField": "int",
    "SmallIntegerField": "int",
    "FloatField": "float",
    "BooleanField": "bool",
    "DateTimeField": "time",
    "UUIDField": "uuid",
    "BinaryField": "bytes",
    "CharField": "text",
    "DateField": "text",
    "EmailField": "text",
    "FileField": "text",
    "JSONField": "text",
    "SlugField": "text",
    "TextField": "text",
    "URLField": "text",
}
DERIVED = "concur_"  # prefix of the tables that are built from others


@dataclass(frozen=True)
class Table:
    """A model's table: the names and kinds of its columns, and the column that a sequence numbers, if any."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    numbered: str

    @property
    def member(self) -> str:
        """Return the name of its member in a backup."""
        return f"tables/{self.name}.copy"

    def in_order(self, columns: tuple[str, ...]) -> Table:
        """Return the table with its columns in another order."""
        kinds = dict(zip(self.columns, self.kinds, strict=True))
        return replace(self, columns=columns, kinds=tuple(kinds[name] for name in columns))


def kind_of(field: Any) -> Kind:
    """Return the kind of a column. Raises KeyError for a type that SQLite and PostgreSQL store too differently."""
    while field.remote_field:
        field = field.target_field
    return KINDS[KIND_OF[field.get_internal_type()]]


def tables_of(apps: Apps) -> Iterator[Table]:
    """Yield the tables of all models, by name."""
    models = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }
    for name, model in sorted(models.items()):
        columns: list[Field[Any, Any]] = list(model._meta.local_concrete_fields)
        fields = [field for field in columns if not field.generated]  # the database makes those again
        numbered = [str(field.column) for field in fields if isinstance(field, AutoField)]
        yield Table(
            name,
            tuple(str(field.column) for field in fields),
            tuple(kind_of(field) for field in fields),
            numbered[0] if numbered else "",
        )
