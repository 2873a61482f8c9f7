"""The types of columns, and what they are in Arrow, in a dataset card and in CSV.

A type is written as a name (string, float64, int64, bool), as `list<string>`, or as a list of records with named
parts, such as `list<code:string,severity:string>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

MESSAGES = "list<role:string,content:string>"


class Described(Protocol):
    """A column of a file: of a row as a release freezes it, or of what a format makes of rows."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def means(self) -> str: ...


def is_list(type: str) -> bool:
    return type.startswith("list<")


def parts(type: str) -> dict[str, str]:
    """Return the names and types of a record's parts; empty for every other type."""
    inner = type.removeprefix("list<").removesuffix(">")
    return dict(part.split(":") for part in inner.split(",")) if is_list(type) and ":" in inner else {}


def arrow_type(type: str) -> pa.DataType:
    import pyarrow as pa  # late: half a second of import, which only writers of such files need

    scalars = {"string": pa.string(), "float64": pa.float64(), "int64": pa.int64(), "bool": pa.bool_()}
    if named := parts(type):
        return pa.list_(pa.struct([pa.field(name, scalars[part]) for name, part in named.items()]))
    return pa.list_(scalars[type[5:-1]]) if is_list(type) else scalars[type]


def schema(columns: Iterable[Described]) -> pa.Schema:
    import pyarrow as pa  # late, as above

    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in columns])


def feature(column: Described) -> str:
    """Return the column as the `features` of a dataset card describe it, in YAML's flow style.

    Parts are quoted: YAML takes a bare `on` for true.
    """
    if named := parts(column.type):
        inner = ", ".join(f'{{name: "{name}", dtype: {part}}}' for name, part in named.items())
        return f"{{name: {column.name}, list: [{inner}]}}"
    key, type = ("list", column.type[5:-1]) if is_list(column.type) else ("dtype", column.type)
    return f"{{name: {column.name}, {key}: {type}}}"


def normal(type: str, value: Any) -> Any:
    """Return the value in one form whatever a database gave back: 2 for 2.0, or a record's parts in another order."""
    form = form_of(type)
    return value if value is None or form is None else form(value)


@cache
def form_of(type: str) -> Callable[[Any], Any] | None:
    """Return what brings a value of this type into that form; None if every value has it."""
    if named := parts(type):
        return lambda value: [
            {name: normal(part, item.get(name)) for name, part in named.items()} for item in value
        ]
    if is_list(type):
        return list
    return float if type == "float64" else None
