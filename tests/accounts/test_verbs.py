"""Tests that every verb requires its actor: none can be written or called without one."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from django.core.exceptions import PermissionDenied

import datasets_app
import eval_app
from datasets_app.accounts.actor import COMMAND, NEEDED, VERBS, Actor, Via
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list import tags
from tests.factories import make_user

ROOT = Path(__file__).resolve().parents[2]
NOBODY = Actor(None, frozenset(), Via.API)
# Functions that write the audit log and are called by a verb, or by Django's admin, which checks the role.
ASKED_ELSEWHERE = {
    "datasets_app/accounts/invitations.py:join",
    "datasets_app/accounts/reset_mail.py:send_links",
    "datasets_app/accounts/sign_in.py",
    "datasets_app/admin/base.py",
    "datasets_app/admin/export.py",
    "datasets_app/curate/listed.py",
    *(f"datasets_app/curate/recipes.py:{half}" for half in ("create", "change")),
    "datasets_app/ingest/direct.py:ingest_rows",
    "datasets_app/ingest/start.py:create",
    "datasets_app/ingest/undo.py:request",
    "datasets_app/review/notes/verbs.py:change",
    "datasets_app/review/queues/verbs.py:apply_policy",
    "datasets_app/review/submit.py:store",
    "datasets_app/review/suggestions/answers.py:replied",
    "datasets_app/accounts/passwords.py:save",
    "datasets_app/accounts/second_factor.py:use_recovery_code",
    "datasets_app/browse/list/saved_views.py:stored",
    "datasets_app/views/account.py:form_valid",
    "eval_app/workers/registry.py:hold",
}


@cache
def sources():
    return {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for package in (datasets_app, eval_app)
        for path in Path(package.__file__).parent.rglob("*.py")
        if "migrations" not in path.parts and "engine" not in path.parts
    }


def functions(*names):
    """Yield the functions of the files that contain one of these names; only they are parsed, which takes long."""
    for path, source in sources().items():
        if any(name in source for name in names):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef):
                    yield path, node


def writes_the_log(node):
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return any(isinstance(one, ast.Attribute) and ast.unparse(one) == "audit.record" for one in calls)


def is_verb(node):
    return any(isinstance(one, ast.Call) and ast.unparse(one.func) == "needs" for one in node.decorator_list)


def test_whatever_writes_the_log_is_a_verb_or_named_here():
    forgotten = [
        f"{path}:{node.name}"
        for path, node in functions("record")
        if writes_the_log(node)
        and not is_verb(node)
        and path not in ASKED_ELSEWHERE
        and f"{path}:{node.name}" not in ASKED_ELSEWHERE
    ]
    assert not forgotten, "mark it with @needs(scope), or say here who asks"


def test_no_verb_reads_a_role_by_itself():
    """A role does not know the token's scope, so only accounts/ and the lists of people may read it."""
    allowed = ("datasets_app/accounts/", "datasets_app/review/assignments.py", "datasets_app/admin")
    names = ("scopes_of", "role_of")
    found = [
        path
        for path, node in functions(*names)
        if not path.startswith(allowed) and any(f"{name}(" in ast.unparse(node) for name in names)
    ]
    assert not found


@pytest.mark.parametrize("name", sorted(VERBS))
def test_an_actor_without_the_scope_is_refused_before_anything_else(name):
    scope, verb = VERBS[name]
    given = dict.fromkeys(inspect.signature(verb).parameters) | {"actor": NOBODY}
    with pytest.raises(PermissionDenied, match=re.escape(NEEDED[scope])):
        verb(**given)


@pytest.mark.parametrize("name", sorted(VERBS))
def test_no_verb_has_an_actor_by_default(name):
    _, verb = VERBS[name]
    assert inspect.signature(verb).parameters["actor"].default is inspect.Parameter.empty


@pytest.mark.django_db
def test_an_account_in_the_actors_place_is_refused():
    with pytest.raises(TypeError, match="takes an Actor"):
        tags.make(make_user("administrator"), "fast")
    with pytest.raises(TypeError, match="takes an Actor"):
        tags.make(None, "fast")


def test_the_site_and_its_commands_hold_every_scope():
    assert COMMAND.held() == list(Scope)
