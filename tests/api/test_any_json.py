"""Sends arbitrary JSON to every writing route, and arbitrary text to forms and query lines: never a 5xx."""

import json

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.models import Sample
from tests.api.clients import token_for
from tests.curate.store import PASSED
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
EXAMPLES = pytest.mark.parametrize("examples", [8, pytest.param(150, marks=pytest.mark.long)])


def tried(examples):
    return settings(max_examples=examples)


TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "\x00", "\ud800", "x" * 60_000, "%", "_\\", "9" * 40, "none", "<b>", "../..", "\u202e"]
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
ROUTES = {
    "/api/v1/tags/": ["name", "colour"],
    "/api/v1/views/": ["name", "query", "shared"],
    "/api/v1/views/1/": ["name", "query", "shared"],
    "/api/v1/reviews/": ["sample", "verdict", "comment", "key", "seen", "scores", "reasons", "rubric"],
    "/api/v1/notes/": ["sample", "label", "comment", "anchors", "key"],
    "/api/v1/recipes/": ["name", "title", "description", "definition"],
    "/api/v1/recipes/concur/": ["name", "definition"],
    "/api/v1/releases/": ["name", "recipe", "definition", "title", "notes"],
    "/api/v1/bulk-actions/": ["action", "samples", "query", "expected", "tag", "recipe", "mode", "reviewer"],
    "/api/v1/verifications/": ["sample", "profile", "device", "inspect"],
}
SENSIBLE = {
    "action": "tag",
    "definition": PASSED,
    "name": "fine",
    "recipe": "concur",
    "query": "",
    "verdict": "accept",
    "tag": "fine",
}


@pytest.fixture
def program():
    make_sample()
    headers = {
        "Authorization": f"Bearer {token_for(make_user('administrator'), 'read', 'annotate', 'curate')}"
    }
    return Client(raise_request_exception=False, headers=headers)


@pytest.fixture
def person():
    make_sample()
    client = Client(raise_request_exception=False)
    client.force_login(make_user("administrator"))
    return client


def unbroken(ask):
    """Send a request and roll it back, so that each example finds the same site."""
    with transaction.atomic():
        answer = ask()
        transaction.set_rollback(True)
    assert answer.status_code < 500, answer.status_code
    return answer


def as_body(value):
    """Encode JSON as Python does: with NaN, and lone surrogates as escapes, as other programs send them."""
    return json.dumps(value)


def writing_methods(client, path):
    """Return the methods that the address says it has: for the others it reads no body."""
    allowed = client.options(path)["Allow"].split(", ")
    methods = [method for method in ("POST", "PUT", "PATCH") if method in allowed]
    assert methods
    return methods


@pytest.mark.parametrize("path", ROUTES)
@EXAMPLES
def test_the_api_survives_any_json(program, path, examples):
    methods = writing_methods(program, path)

    @tried(examples)
    @given(st.one_of(JSON, st.dictionaries(st.sampled_from(ROUTES[path]), JSON, max_size=6)), st.booleans())
    def sent(value, sensible):
        if sensible and isinstance(value, dict):
            fine = {name: SENSIBLE[name] for name in ROUTES[path] if name in SENSIBLE}
            value = fine | {"sample": str(Sample.objects.get().pk)} | value
        for method in methods:
            answer = unbroken(
                lambda method=method: program.generic(
                    method, path, as_body(value), content_type="application/json"
                )
            )
            assert answer["Content-Type"] in ("application/json", "application/problem+json")

    sent()


@EXAMPLES
@pytest.mark.parametrize("path", ["/api/v1/recipes/", "/api/v1/tags/"])
def test_the_api_survives_any_bytes(program, path, examples):
    @tried(examples)
    @given(st.binary(max_size=200))
    def sent(body):
        unbroken(lambda: program.post(path, body, content_type="application/json"))

    sent()


LISTS = ["/browse/", "/analysis/", "/review/", "/api/v1/samples/", "/api/v1/tasks/", "/verify/"]
LINES = st.text(st.sampled_from("abz:\"><.()-*,0129 \\'%_\x00\ud800é\u202e") | st.characters(), max_size=60)


@EXAMPLES
@pytest.mark.parametrize("path", LISTS)
def test_lists_survive_any_line_and_any_parameter(person, path, examples):
    names = st.sampled_from(
        ["query", "q", "task", "tag", "speedup_min", "sort", "cursor", "limit", "columns", "view"]
    )

    @tried(examples)
    @given(names, LINES)
    def asked(name, text):
        text = text.encode("utf-8", "surrogatepass")
        unbroken(lambda: person.get(path, {name: text}))

    asked()


FORMS = {
    "/accounts/login/": ["username", "password", "next"],
    "/account/tokens/": ["scope", "label"],
    "/browse/views/save/": ["name", "query", "shared", "as_default"],
    "/browse/views/default/": ["view"],
    "/browse/tags/save/": ["name", "colour", "tag"],
    "/browse/act/": ["do", "sample", "query", "expected", "tag", "recipe", "mode", "reviewer", "next"],
    "/curate/new/": ["name", "title", "description", "rule", "do", "new", "seed", "splits.train"],
    "/verify/ask/": ["sample", "query", "profile", "device", "inspect", "next"],
    "/verify/again/": ["verification", "next"],
    "/samples/{sample}/tags/": ["add", "remove"],
    "/samples/{sample}/against-pasted/": ["against", "pasted", "text"],
    "/review/{sample}/": ["verdict", "comment", "key", "seen", "correctness"],
    "/review/{sample}/draft/": ["verdict", "comment", "key", "seen"],
    "/curate/concur/freeze/": ["name", "title", "notes"],
    "/ingest/": ["format", "source", "url", "licence", "device", "server_path"],
}
WORDS = {
    "do": ["save", "tag:selected", "tag:all", "recipe:all", "add:", "up:0"],
    "rule": ["0:has_trace", "0.0.0:x"],
}


@pytest.mark.parametrize("path", FORMS)
@EXAMPLES
def test_forms_survive_any_text(person, path, examples):
    names = st.sampled_from(FORMS[path])
    values = st.one_of(
        TEXTS, st.sampled_from([word for name in FORMS[path] for word in WORDS.get(name, ["1"])])
    )

    @tried(examples)
    @given(st.dictionaries(names, values, min_size=1, max_size=6))
    def posted(form):
        sent = {name: text.encode("utf-8", "surrogatepass") for name, text in form.items()}
        unbroken(lambda: person.post(path.format(sample=Sample.objects.get().pk), sent))

    posted()
