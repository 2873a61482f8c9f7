"""States, outcomes and verdicts in the admin's lists and filters, by the words that the site's pages have for them."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from django.contrib import admin
from django.db.models import Model

from datasets_app.browse import formats

FIELDS = ("state", "outcome", "verdict")


class StateWords(admin.FieldListFilter):
    """A filter that says `wrong value`, not `wrong_value`."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            value, bracket, count = str(choice["display"]).partition(" (")
            known = formats.STATES.get(value.lower()) if value else None
            yield {**choice, "display": f"{known[0] if known else value}{bracket}{count}"}


class StoredStates(StateWords, admin.AllValuesFieldListFilter):
    """Offers the values that rows have."""


class DeclaredStates(StateWords, admin.ChoicesFieldListFilter):
    """Offers the values that the model declares."""


def columns(model: type[Model], names: Sequence[Any]) -> list[Any]:
    """Return the columns of a list; a state gets its word, shape and colour."""
    return [state_column(name) if is_state(model, name) else name for name in names]


def filters(model: type[Model], names: Sequence[Any]) -> list[Any]:
    return [(name, filter_of(model, name)) if is_state(model, name) else name for name in names]


def filter_of(model: type[Model], name: str) -> type[StateWords]:
    return DeclaredStates if model._meta.get_field(name).choices else StoredStates  # type: ignore[union-attr]


def is_state(model: type[Model], name: Any) -> bool:
    return name in FIELDS and any(field.name == name for field in model._meta.fields)


@cache  # Django compares a list's columns with those that it may sort by
def state_column(name: str) -> Callable[[Model], str]:
    @admin.display(description=name, ordering=name)
    def shown(row: Model) -> str:
        value = getattr(row, name)
        return formats.state(value) if value in formats.STATES and value else value or "–"

    shown.__name__ = name  # names the column's class
    return shown
