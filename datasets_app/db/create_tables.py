"""A migration's operation that creates all tables of an app at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


class CreateTables(Operation):
    """Create the tables that the operations describe, each as the last of them leaves it.

    Django renders the models again after each operation, every one with all models that it is related to, which takes
    longer than the rest of the first start. Here they are rendered once. The operations are those of a first
    migration: models are created, and fields, indexes and constraints added to them.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    @property
    def created(self) -> list[CreateModel]:
        return [operation for operation in self.operations if isinstance(operation, CreateModel)]

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.__dict__.pop("apps", None)  # a cached property: it is rendered again when it is asked for
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in self.created:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in reversed(self.created):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.created)} tables"
