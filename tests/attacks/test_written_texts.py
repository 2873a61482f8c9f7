"""Tests that a text in any field of any model is shown as text, on every page."""

import re

import pytest
from django.apps import apps
from django.db import models

from datasets_app.models import MachineCode, Sample, VerificationReport
from datasets_app.models.sample import Verdict
from tests.admin.test_admin import add_rows
from tests.site import matrix
from tests.verifications import timed
from tests.verify.reports import full

pytestmark = pytest.mark.any_database
MARK = "xss7f3a"
HOSTILE = f"\"'><b onclick={MARK}()>"
AS_MARKUP = re.compile(f"<b onclick={MARK}", re.IGNORECASE)
ADDRESS = f"javascript:{MARK}()"
AS_ADDRESS = re.compile(rf"""\s[a-z-]+=["']?\s*{re.escape(ADDRESS)}""", re.IGNORECASE)
APPS = ("datasets_app", "eval_app", "auth")
SHORTEST = 40  # a shorter field holds a word of ours
# Fields that only the site's own code writes, from a list of words or as a digest: it looks things up by them.
OURS = {
    "AuditEntry": {"action", "target_type", "target_id"},
    "Group": {"name"},
    "User": {"password"},
    "Permission": {"name", "codename"},
    "Recipe": {"name", "definition"},
    "RecipeVersion": {"definition"},
    "Host": {"name", "public_key"},
    "Webhook": {"url", "salt", "events"},
    "ApiToken": {"scopes"},
    "Export": {"path"},
    "Release": {"name"},
    "Verification": {"requirement"},
}
DIGESTS = {"sha256", "content_sha256", "secret_sha256", "digest", "report_key", "versions_key", "secret"}


def written_fields(model):
    """Yield the fields of a model that may hold any text."""
    for field in model._meta.concrete_fields:
        if field.choices or field.primary_key or field.name in DIGESTS | OURS.get(model.__name__, set()):
            continue
        is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
        if is_text and (field.max_length is None or field.max_length >= SHORTEST):
            yield field


def poisoned(value):
    """Return the value with the hostile text for every text in it but verdicts, which a rubric's reasons belong to."""
    if isinstance(value, dict):
        return {key: poisoned(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [poisoned(inner) for inner in value]
    return HOSTILE if isinstance(value, str) and value not in Verdict.values else value


def poison(model):
    """Put the hostile text into every field of every row, past all checks, as an earlier version may have left it."""
    fields = list(written_fields(model))
    for number, row in enumerate(models.QuerySet(model).all()):
        values = {}
        for field in fields:
            if isinstance(field, models.JSONField):
                values[field.name] = poisoned(getattr(row, field.attname))
            elif isinstance(field, models.URLField):
                values[field.name] = ADDRESS
            else:
                values[field.name] = f"{HOSTILE}{number}"
        models.QuerySet(model).filter(pk=row.pk).update(**values)
    return {f"{model.__name__}.{field.name}" for field in fields}


@pytest.fixture
def hostile(objects):
    add_rows(7)
    sample = Sample.objects.get(pk=objects.ids["sample"])
    run = timed(sample, 2.0)
    VerificationReport.objects.create(verification=run, report=full(sample.pk))
    MachineCode.objects.create(verification=run, kind="sass", text=HOSTILE, line_count=1)
    objects.ids["verification"] = run.pk
    return {name for model in apps.get_models() if model._meta.app_label in APPS for name in poison(model)}


def test_a_text_in_any_field_is_shown_as_text_on_every_page(objects, visitors, hostile):
    faults, broken, shown = [], [], 0
    client = visitors.client("administrator")
    for route in matrix.routes():
        path = objects.path(route.pattern, route.name)
        answer, _ = matrix.exchange(client, "GET", path, {}, as_json=False)
        text = answer.whole.decode(errors="replace")
        if answer.status_code >= 500:
            broken.append(path)
        if "html" in answer.headers.get("Content-Type", ""):
            shown += MARK in text
            faults += [f"{path}: {text[max(0, m.start() - 80) : m.end()]}" for m in AS_MARKUP.finditer(text)][
                :1
            ]
            faults += [f"{path}: {m[0]}" for m in AS_ADDRESS.finditer(text)][:1]
    assert not faults
    assert not broken
    assert shown > 50
