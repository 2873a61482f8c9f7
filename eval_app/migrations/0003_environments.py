"""Bind the verdicts that are stored already to the device and the versions that their reports name."""

import hashlib

from django.db import migrations

PARTS = ("engine", "torch", "toolkit", "driver")


def bind(apps, schema_editor):
    reports = apps.get_model("eval_app", "VerificationReport").objects.select_related("verification")
    for stored in reports.order_by("verification__finished_at", "pk").iterator(chunk_size=200):
        versions = stored.report.get("versions") or {}
        if versions and stored.verification.environment_id is None:
            bind_one(apps, stored, versions)


def bind_one(apps, stored, versions):
    row = stored.verification
    kind = str((stored.report.get("device") or {}).get("kind") or "")[:10]
    environment = kept(apps, {"kind": kind, "device": row.device, **parts_of(versions)})
    type(row).objects.filter(pk=row.pk).update(environment=environment)
    samples = apps.get_model("datasets_app", "Sample").objects
    samples.filter(pk=row.sample_id, verified_at=row.finished_at).update(environment=environment.key)


def parts_of(versions):
    toolkit = versions.get("nvcc") or versions.get("cuda") or ""
    found = {name: str(versions.get(name) or "")[:40] for name in PARTS}
    return {**found, "engine": found["engine"][:20], "toolkit": toolkit[:40]}


def kept(apps, fields):
    said = "\x1f".join(fields[name] for name in ("kind", "device", *PARTS))
    key = hashlib.sha256(said.encode()).hexdigest()[:16]
    return apps.get_model("eval_app", "Environment").objects.get_or_create(key=key, defaults=fields)[0]


class Migration(migrations.Migration):
    dependencies = [
        ("eval_app", "0002_evidence"),
        ("datasets_app", "0020_evidence"),
    ]

    operations = [migrations.RunPython(bind, migrations.RunPython.noop)]
