import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Verifications and their evidence are triples' neighbours: the tables come over from eval_app with their rows."""

    dependencies = [
        ("datasets_app", "0141_accounts"),
        ("eval_app", "0060_verifications_move"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Environment",
                    fields=[
                        (
                            "key",
                            models.CharField(
                                help_text="hash of the other fields",
                                max_length=16,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("kind", models.CharField(blank=True, help_text="cpu or cuda", max_length=10)),
                        (
                            "device",
                            models.CharField(blank=True, help_text="the device's own name", max_length=120),
                        ),
                        ("engine", models.CharField(blank=True, max_length=20)),
                        ("torch", models.CharField(blank=True, max_length=40)),
                        (
                            "toolkit",
                            models.CharField(
                                blank=True, help_text="the CUDA compiler's, else torch's CUDA", max_length=40
                            ),
                        ),
                        ("driver", models.CharField(blank=True, max_length=40)),
                    ],
                    options={
                        "ordering": ["device", "engine", "key"],
                    },
                ),
                migrations.CreateModel(
                    name="Verification",
                    fields=[
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "Queued"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                db_index=True,
                                default="queued",
                                max_length=10,
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField(default=0)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("error", models.TextField(blank=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "id",
                            models.UUIDField(
                                default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("profile", models.CharField(default="standard", max_length=20)),
                        (
                            "inspect",
                            models.BooleanField(
                                default=False, help_text="look inside: machine code, counters, memory errors"
                            ),
                        ),
                        (
                            "wanted_device",
                            models.CharField(
                                choices=[("cpu", "CPU"), ("cuda", "CUDA")],
                                help_text="cpu or cuda: the queue that it waits in",
                                max_length=10,
                            ),
                        ),
                        (
                            "batch",
                            models.UUIDField(
                                blank=True, db_index=True, help_text="asked for together", null=True
                            ),
                        ),
                        (
                            "turn",
                            models.PositiveSmallIntegerField(
                                choices=[(0, "First"), (3, "Soon"), (6, "after the others")],
                                default=0,
                                help_text="lower ones are taken first",
                            ),
                        ),
                        (
                            "lost",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="workers that stopped answering while on it"
                            ),
                        ),
                        (
                            "sent_at",
                            models.DateTimeField(
                                blank=True, help_text="when its newest message was sent", null=True
                            ),
                        ),
                        ("worker", models.CharField(blank=True, max_length=120)),
                        (
                            "stage",
                            models.CharField(blank=True, help_text="what the worker does now", max_length=40),
                        ),
                        ("stage_detail", models.CharField(blank=True, max_length=300)),
                        ("outcome", models.CharField(blank=True, max_length=20)),
                        ("detail", models.TextField(blank=True, help_text="why, in one sentence")),
                        (
                            "speedup",
                            models.FloatField(
                                blank=True, help_text="over eager, median of paired ratios", null=True
                            ),
                        ),
                        ("speedup_low", models.FloatField(blank=True, null=True)),
                        ("speedup_high", models.FloatField(blank=True, null=True)),
                        ("median_ms", models.FloatField(blank=True, null=True)),
                        ("eager_median_ms", models.FloatField(blank=True, null=True)),
                        (
                            "device",
                            models.CharField(blank=True, help_text="the device's own name", max_length=120),
                        ),
                        ("engine_version", models.CharField(blank=True, max_length=20)),
                        ("torch_version", models.CharField(blank=True, max_length=40)),
                        (
                            "report_key",
                            models.CharField(
                                blank=True,
                                help_text="hash of the report: stored once",
                                max_length=64,
                                null=True,
                                unique=True,
                            ),
                        ),
                        (
                            "environment",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="verifications",
                                to="datasets_app.environment",
                            ),
                        ),
                        (
                            "requested_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="verifications",
                                to="datasets_app.sample",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at", "-id"],
                    },
                ),
                migrations.CreateModel(
                    name="VerificationReport",
                    fields=[
                        (
                            "verification",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="report",
                                serialize=False,
                                to="datasets_app.verification",
                            ),
                        ),
                        ("report", models.JSONField()),
                    ],
                ),
                migrations.CreateModel(
                    name="StageChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("attempt", models.PositiveIntegerField()),
                        ("worker", models.CharField(blank=True, max_length=120)),
                        ("stage", models.CharField(max_length=40)),
                        ("detail", models.CharField(blank=True, max_length=300)),
                        ("at", models.DateTimeField()),
                        (
                            "verification",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="stages",
                                to="datasets_app.verification",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["verification", "at", "id"],
                    },
                ),
                migrations.CreateModel(
                    name="MachineCode",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("sass", "SASS"), ("ptx", "PTX"), ("assembly", "assembly")],
                                max_length=10,
                            ),
                        ),
                        ("text", models.TextField()),
                        ("line_count", models.PositiveIntegerField()),
                        (
                            "verification",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machine_code",
                                to="datasets_app.verification",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["verification", "kind"],
                    },
                ),
                migrations.CreateModel(
                    name="Finding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("code", models.CharField(db_index=True, max_length=60)),
                        (
                            "severity",
                            models.CharField(
                                choices=[("reject", "Reject"), ("audit", "Audit"), ("label", "Label")],
                                max_length=10,
                            ),
                        ),
                        ("detail", models.TextField(blank=True)),
                        (
                            "verification",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="findings",
                                to="datasets_app.verification",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["verification", "id"],
                    },
                ),
                migrations.CreateModel(
                    name="Baseline",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("device", models.CharField(max_length=120)),
                        (
                            "mode",
                            models.CharField(
                                choices=[
                                    ("eager", "Eager"),
                                    ("compile", "torch.compile"),
                                    ("max-autotune", "torch.compile max-autotune"),
                                    ("cuda-graph", "CUDA graph"),
                                ],
                                max_length=20,
                            ),
                        ),
                        ("versions", models.JSONField(default=dict)),
                        (
                            "versions_key",
                            models.CharField(
                                help_text="hash of versions, to find the newest of a set", max_length=64
                            ),
                        ),
                        ("median_ms", models.FloatField()),
                        ("p10_ms", models.FloatField(blank=True, null=True)),
                        ("p90_ms", models.FloatField(blank=True, null=True)),
                        ("sample_count", models.PositiveIntegerField(default=0)),
                        ("measured_at", models.DateTimeField()),
                        (
                            "task",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="baselines",
                                to="datasets_app.task",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["task", "device", "mode", "-measured_at"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("task", "device", "mode", "versions_key"), name="baseline_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("median_ms__gt", 0)), name="baseline_positive"
                            ),
                        ],
                    },
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(fields=["sample", "-created_at"], name="verification_of_sample"),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(fields=["state", "lease_until"], name="verification_lease"),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(fields=["-created_at", "-id"], name="verification_newest"),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(fields=["outcome", "-created_at"], name="verification_outcome"),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(
                        fields=["state", "-created_at", "-id"], name="verification_state_newest"
                    ),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(fields=["state", "-finished_at"], name="verification_finished"),
                ),
                migrations.AddIndex(
                    model_name="verification",
                    index=models.Index(
                        condition=models.Q(("state", "queued")),
                        fields=["wanted_device", "sent_at", "turn", "created_at", "id"],
                        name="verification_to_send",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("sample", "wanted_device", "profile", "inspect"),
                        name="verification_waits_once",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("state", "done"),
                                models.Q(("outcome", ""), _negated=True),
                                ("finished_at__isnull", False),
                            ),
                            models.Q(models.Q(("state", "done"), _negated=True), ("outcome", "")),
                            _connector="OR",
                        ),
                        name="verification_done_has_outcome",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("speedup__isnull", True),
                            models.Q(("outcome", "passed"), ("speedup__gt", 0)),
                            _connector="OR",
                        ),
                        name="verification_speedup_needs_pass",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="verification",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_until__isnull", False),
                            _connector="OR",
                        ),
                        name="verification_running_has_lease",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="machinecode",
                    constraint=models.UniqueConstraint(
                        fields=("verification", "kind"), name="machine_code_once"
                    ),
                ),
            ]
        )
    ]
