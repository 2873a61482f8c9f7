"""Tests that a request changes no row of somebody else's, and sets no field that it may not, at every address."""

import json
from datetime import datetime
from functools import cache
from itertools import cycle

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models
from drf_spectacular.generators import SchemaGenerator

from datasets_app import review
from datasets_app.browse.list import saved_views
from datasets_app.models import Sample
from datasets_app.review import notes
from eval_app.request.edits import propose_edit
from tests.factories import acting, make_user
from tests.site import matrix
from tests.site.matrix_objects import EDITED
from tests.site.matrix_table import methods_of

pytestmark = pytest.mark.any_database
UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
MODELS = {model._meta.db_table: model for model in apps.get_models()}


def references_to_people(model):
    return [
        field for field in model._meta.concrete_fields if field.is_relation and field.related_model is User
    ]


def paths_to_people(model):
    """Yield the fields that lead to a person, directly or over the one row that a row belongs to."""
    for field in model._meta.concrete_fields:
        if field.is_relation and field.related_model is User:
            yield field.name
        elif field.one_to_one:
            yield from (f"{field.name}__{other.name}" for other in references_to_people(field.related_model))


# --- Rows of others ---------------------------------------------------------------------------------------------------


@pytest.fixture
def owner(objects):
    """Make an annotator whose rows are what the addresses lead to."""
    person = make_user("annotator", "owner")
    me = acting(person)
    sample = Sample.objects.with_body().get(pk=objects.ids["sample"])
    objects.ids["review"] = review.submit_review(sample, me, "fix").pk
    review.save_draft(Sample.objects.get(pk=objects.ids["other"]), me, {"comment": "mine"})
    objects.ids["note"] = notes.create_note(
        sample, me, [notes.lines_place(sample, "kernel", 2)], "race", "mine"
    ).pk
    objects.ids["view"] = saved_views.save(me, "mine", "", shared=False).pk
    objects.ids["edit"] = propose_edit(sample, me, "", EDITED + "\n", "mine").pk
    return person


def rows_of(person, tables):
    """Return every row of these tables that refers to the person, and what is said of it by a row of its own, such as a
    withdrawal; by model and key."""
    found = {}
    for model in (MODELS[table] for table in tables if table in MODELS):
        for path in paths_to_people(model):
            for row in model._base_manager.filter(**{path: person}).values():
                found[model.__name__, str(row[model._meta.pk.attname])] = row
    if User._meta.db_table in tables:
        found["User", ""] = User.objects.filter(pk=person.pk).values().get()
    return found


# A reader may send less than an annotator does, as the matrix shows.
@pytest.mark.parametrize("visitor", ["annotator", pytest.param("reader", marks=pytest.mark.long)])
def test_nobody_changes_a_row_of_somebody_else(objects, visitors, owner, visitor):
    before = rows_of(owner, MODELS)
    assert {"Review", "ReviewDraft", "Note", "SavedView", "Edit"} <= {kind for kind, _ in before}
    changed = []
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        for method in methods_of(route, UNSAFE):
            answer, wrote = matrix.exchange(
                visitors.client(visitor),
                method,
                path,
                objects.body(route.name, method),
                route.takes_tokens,
                look=lambda tables: rows_of(owner, tables) | {"tables": tables},
            )
            if not wrote:
                continue
            tables, after = answer.looked.pop("tables"), answer.looked
            for (kind, pk), row in before.items():
                if MODELS_BY_NAME[kind]._meta.db_table in tables:
                    lost = differing(row, after.get((kind, pk), {}))
                    changed += [f"{method} {path}: {kind}.{name}" for name in lost]
            added = {kind for kind, pk in after if (kind, pk) not in before}
            changed += [f"{method} {path}: a {kind} more" for kind in added]
    assert not changed


MODELS_BY_NAME = {model.__name__: model for model in MODELS.values()}


def differing(row, other):
    return {name for name, value in row.items() if other.get(name, ...) != value}


# --- Fields that no request sets --------------------------------------------------------------------------------------

LONG_AGO, TEXT, NUMBER = "1999-01-01T00:00:00Z", "poison-7f3a", 7_777_777


@cache
def poison():
    """Return a value for every field of every model, by its name: one that can be found again where it was stored."""
    found = {"pk": TEXT, "is_superuser": True, "is_staff": True, "groups": [1], "token": TEXT, "actor": TEXT}
    for model in MODELS.values():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.DateTimeField):
                found[field.name] = LONG_AGO
            elif isinstance(field, models.IntegerField) and not field.is_relation:
                found.setdefault(field.name, NUMBER)
            elif not field.is_relation:
                found.setdefault(field.name, TEXT)
    return found


@cache
def declared():
    """Return the fields of each request of the API, by its address and method, from the OpenAPI document."""
    document = SchemaGenerator().get_schema(public=True)
    schemas, found = document["components"]["schemas"], {}
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            content = (
                operation.get("requestBody", {}).get("content", {}) if isinstance(operation, dict) else {}
            )
            names = set()
            for kind in content.values():
                name = kind["schema"].get("$ref", "").rpartition("/")[2]
                names |= set(schemas.get(name, kind["schema"]).get("properties", {}))
            found[path, verb.upper()] = names
    return found


def address_in_document(pattern):
    """Return a pattern as the document writes it: <uuid:pk> is {id} there."""
    parts = ["{}" if part.startswith("<") else part for part in pattern.strip("/").split("/")]
    return "/" + "/".join(parts) + "/"


def fields_of(route, method):
    for (path, verb), names in declared().items():
        parts = ["{}" if part.startswith("{") else part for part in path.strip("/").split("/")]
        if verb == method and "/" + "/".join(parts) + "/" == address_in_document(route.pattern):
            return names
    return set()


def poisoned(route, method, body, victim):
    """Return the body with all fields that the request does not have. A page's form may have texts of any name."""
    values = poison()
    if not route.takes_tokens:
        values = {name: value for name, value in values.items() if value != TEXT}
    people = {field.name: victim.pk for model in MODELS.values() for field in references_to_people(model)}
    people |= {f"{name}_id": pk for name, pk in people.items()}
    known = set(body) | fields_of(route, method)
    return {**{k: v for k, v in {**values, **people}.items() if k not in known}, **body}


def found_in(tables, victim):
    """Yield where a poisoned value was stored."""
    for model in (MODELS[table] for table in tables if table in MODELS):
        people = {field.attname for field in references_to_people(model)}
        for row in model._base_manager.values():
            for name, value in row.items():
                if (name in people and value == victim.pk) or is_poison(value):
                    yield f"{model.__name__}.{name} = {value!r:.80}"


def is_poison(value):
    if isinstance(value, datetime):
        return value.year == 1999
    if isinstance(value, dict | list):
        value = json.dumps(value, default=str)
    return value == NUMBER or (isinstance(value, str) and TEXT in value)


def test_no_request_sets_a_field_that_it_does_not_have(objects, visitors):
    victim, stored, wrote_somewhere = make_user("reader", "victim"), [], set()
    smaller = cycle(("annotator", "curator"))  # in turn: what a request may set does not depend on the role
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        for method in methods_of(route, UNSAFE):
            for visitor in (next(smaller), "administrator"):
                body = poisoned(route, method, objects.body(route.name, method), victim)
                answer, wrote = matrix.exchange(
                    visitors.client(visitor),
                    method,
                    path,
                    body,
                    route.takes_tokens,
                    look=lambda tables: list(found_in(tables, victim)),
                )
                if wrote:
                    wrote_somewhere.add(route.name)
                    stored += [f"{method} {path} as {visitor}: {where}" for where in answer.looked]
    assert not stored
    assert len(wrote_somewhere) > 80  # else the bodies are refused before any field is looked at
