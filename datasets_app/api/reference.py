"""Reads the OpenAPI schema for its page: resources, their operations, and their request and response schemas. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets_app.api.schema import MEANING

METHODS = ("get", "post", "put", "patch", "delete")
PAGE = ("Paginated", "List")  # names of schemas of a page of rows, such as PaginatedSampleRowList
MEANT = "application/json"  # the encoding that is described, of several
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """The type of a value: words, and the schema that they link to ("" for none)."""

    words: str
    shape: str = ""


@dataclass(frozen=True)
class Value:
    """A parameter, or a field of a schema. `required`: a request must contain it."""

    name: str
    kind: Kind
    required: bool
    says: str
    choices: list[str]


@dataclass(frozen=True)
class Answer:
    """The response with one status; `kind` is None for an empty body."""

    status: str
    kind: Kind | None
    says: str


@dataclass(frozen=True)
class Operation:
    """A method at a path. `anchor` is the operation's id, so that links stay valid when wording changes."""

    anchor: str
    method: str
    path: str
    says: str
    parameters: list[Value]
    body: Kind | None
    encoding: str
    answers: list[Answer]

    @property
    def can_be_opened(self) -> bool:
        """True if a link can open it: a GET without path parameters."""
        return self.method == "get" and "{" not in self.path


@dataclass(frozen=True)
class Resource:
    name: str
    operations: list[Operation]


@dataclass(frozen=True)
class Shape:
    name: str
    says: str
    fields: list[Value]


@dataclass(frozen=True)
class Reference:
    resources: list[Resource]
    shapes: list[Shape]


def read(schema: Json) -> Reference:
    """Read an OpenAPI 3 document, given as a dictionary."""
    shapes = schema["components"]["schemas"]
    by_tag: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if node := methods.get(method):
                by_tag.setdefault(node["tags"][0], []).append(operation(path, method, node, shapes))
    objects = [shape(name, node, shapes) for name, node in shapes.items() if has_section(name, node)]
    return Reference([Resource(name, operations) for name, operations in by_tag.items()], objects)


def operation(path: str, method: str, node: Json, shapes: Json) -> Operation:
    encoding, body = content(node.get("requestBody", {}), shapes)
    return Operation(
        anchor=node["operationId"],
        method=method,
        path=path,
        says=sentence(node),
        parameters=[parameter(entry, shapes) for entry in node.get("parameters", [])],
        body=body,
        encoding=encoding,
        answers=[
            answer(status, response, shapes)
            for status, response in sorted(node["responses"].items())
            if response.get("description") != MEANING.get(status)  # told once for all operations
        ],
    )


def content(body: Json, shapes: Json) -> tuple[str, Kind | None]:
    """Return the described encoding and its content; ("", None) for no body."""
    encodings = body.get("content", {})
    if not encodings:
        return "", None
    encoding = MEANT if MEANT in encodings else next(iter(encodings))
    return encoding, kind_of(encodings[encoding].get("schema", {}), shapes)


def answer(status: str, node: Json, shapes: Json) -> Answer:
    return Answer(status, content(node, shapes)[1], sentence(node))


def parameter(node: Json, shapes: Json) -> Value:
    schema = node.get("schema", {})
    return Value(
        node["name"],
        kind_of(schema, shapes),
        node.get("required", False),
        sentence(node),
        choices_of(schema, shapes),
    )


def shape(name: str, node: Json, shapes: Json) -> Shape:
    required = {field for field in node.get("required", []) if not node["properties"][field].get("readOnly")}
    fields = [
        Value(field, kind_of(schema, shapes), field in required, sentence(schema), choices_of(schema, shapes))
        for field, schema in node.get("properties", {}).items()
    ]
    return Shape(name, sentence(node), fields)


def sentence(schema: Json) -> str:
    """Return a description without the generated list of choices, which is shown separately."""
    description = str(schema.get("description", "")).partition("\n\n*")[0].strip()
    return "" if description.startswith("* `") else description


def has_section(name: str, schema: Json) -> bool:
    """Return whether the schema is described where it is used: pages and choices. Others have a section of their
    own.
    """
    return "properties" in schema and not is_page(name)


def is_page(name: str) -> bool:
    return name.startswith(PAGE[0]) and name.endswith(PAGE[1])


def referred(schema: Json) -> str:
    """Return the name of the component that a schema refers to or wraps; "" for none."""
    for part in (schema, *schema.get("allOf", [])):
        if "$ref" in part:
            return str(part["$ref"]).rpartition("/")[2]
    return ""


def choices_of(node: Json, shapes: Json) -> list[str]:
    if name := referred(node):
        return choices_of(shapes[name], shapes)
    if node.get("type") == "array":
        return choices_of(node.get("items", {}), shapes)
    several = [choices_of(alternative, shapes) for alternative in node.get("oneOf", [])]
    return [str(choice) for choice in node.get("enum", [])] or [
        choice for some in several for choice in some if choice
    ]


def kind_of(node: Json, shapes: Json) -> Kind:
    kind = plain_kind(node, shapes)
    return Kind(f"{kind.words} or null", kind.shape) if node.get("nullable") else kind


def plain_kind(node: Json, shapes: Json) -> Kind:
    if choices_of(node, shapes):
        return Kind("any of" if node.get("type") == "array" else "one of")
    if name := referred(node):
        return page_kind(name) if is_page(name) else Kind(name, name)
    if node.get("type") == "array":
        inner = kind_of(node.get("items", {}), shapes)
        return Kind(f"list of {inner.words}", inner.shape)
    return Kind(str(node.get("format") or node.get("type") or "any JSON"))


def page_kind(name: str) -> Kind:
    row = name.removeprefix(PAGE[0]).removesuffix(PAGE[1])
    return Kind(f"page of {row}", row)
