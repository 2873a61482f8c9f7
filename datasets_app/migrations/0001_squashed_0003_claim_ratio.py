"""All tables, those that no model describes too, the roles as groups, and the recipes that come with the project.

Triggers are created after every `migrate` (datasets_app/apps.py).
"""

import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import Case, F, Q, When

from datasets_app.curate.builtin import BUILTIN
from datasets_app.db import triggers
from datasets_app.db.create_tables import CreateTables
from datasets_app.db.text_index import index

ROLES = ["reader", "annotator", "curator", "administrator"]


def create_indexes(apps, schema_editor):
    connection = schema_editor.connection
    index.create(connection)
    triggers.create(connection)
    index.create_code(connection)
    index.merge_less(connection)


def drop_indexes(apps, schema_editor):
    connection = schema_editor.connection
    index.drop_code(connection)
    triggers.drop(connection)
    index.drop(connection)


def make_roles(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects
    for name in ROLES:
        groups.get_or_create(name=name)


def remove_roles(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


def store_recipes(apps, schema_editor):
    recipes = apps.get_model("datasets_app", "Recipe").objects
    versions = apps.get_model("datasets_app", "RecipeVersion").objects
    for name, fields in BUILTIN.items():
        recipe, _ = recipes.update_or_create(name=name, defaults={**fields, "builtin": True})
        versions.update_or_create(
            recipe=recipe, number=recipe.version, defaults={"definition": recipe.definition}
        )


def remove_recipes(apps, schema_editor):
    apps.get_model("datasets_app", "Recipe").objects.filter(builtin=True, name__in=BUILTIN).delete()


class Migration(migrations.Migration):
    initial = True

    # A site that has applied these three need not apply this one.
    replaces = [
        ("datasets_app", "0001_initial"),
        ("datasets_app", "0002_indexes_roles_recipes"),
        ("datasets_app", "0003_claim_ratio"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Environment",
            fields=[
                (
                    "key",
                    models.CharField(
                        help_text="hash of device and versions",
                        max_length=16,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("kind", models.CharField(blank=True, help_text="cpu or cuda", max_length=10)),
                ("device", models.CharField(blank=True, help_text="the device's own name", max_length=120)),
                ("engine", models.CharField(blank=True, max_length=20)),
                ("torch", models.CharField(blank=True, max_length=40)),
                (
                    "toolkit",
                    models.CharField(
                        blank=True, help_text="the CUDA compiler's, else torch's CUDA", max_length=40
                    ),
                ),
                ("driver", models.CharField(blank=True, max_length=40)),
                (
                    "changed",
                    models.CharField(
                        blank=True,
                        help_text="versions that its machines run now; empty: its evidence is up to date",
                        max_length=400,
                    ),
                ),
            ],
            options={
                "ordering": ["device", "engine", "key"],
            },
        ),
        migrations.CreateModel(
            name="EvidenceDevice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, unique=True)),
                ("kind", models.CharField(max_length=10)),
                (
                    "verifications",
                    models.PositiveIntegerField(
                        default=0, help_text="deciding ones, as the last maintenance run counted them"
                    ),
                ),
            ],
            options={
                "ordering": ["-verifications", "id"],
            },
        ),
        migrations.CreateModel(
            name="Sample",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                (
                    "generator",
                    models.CharField(
                        blank=True, help_text="the model or person that wrote it", max_length=120
                    ),
                ),
                (
                    "sampling",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="temperature and the like, as stated by the source",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[
                            ("cuda", "CUDA"),
                            ("cpp", "C++"),
                            ("triton", "Triton"),
                            ("python", "Python"),
                            ("hip", "HIP"),
                            ("sass", "SASS"),
                        ],
                        max_length=10,
                    ),
                ),
                ("external_id", models.CharField(blank=True, max_length=120)),
                (
                    "turn",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="0: a first attempt; otherwise the turn in its trajectory"
                    ),
                ),
                ("has_trace", models.BooleanField()),
                (
                    "trace_tokens",
                    models.PositiveIntegerField(blank=True, help_text="null: no trace", null=True),
                ),
                (
                    "tokenizer",
                    models.CharField(
                        blank=True, help_text="tokenizer that counted trace_tokens", max_length=60
                    ),
                ),
                ("kernel_bytes", models.PositiveIntegerField(default=0)),
                (
                    "claimed_speedup",
                    models.FloatField(blank=True, help_text="over eager, as the source claims", null=True),
                ),
                ("claimed_correct", models.BooleanField(blank=True, null=True)),
                ("claimed_device", models.CharField(blank=True, max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True, help_text="of the headline evidence; empty: never verified", max_length=20
                    ),
                ),
                ("measured_speedup", models.FloatField(blank=True, null=True)),
                (
                    "device",
                    models.CharField(blank=True, help_text="device of the headline evidence", max_length=120),
                ),
                ("verified_at", models.DateTimeField(blank=True, null=True)),
                (
                    "environment",
                    models.CharField(
                        blank=True, help_text="key of the headline evidence's environment", max_length=16
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("accept", "Accept"),
                            ("fix", "needs a fix"),
                            ("reject", "Reject"),
                            ("contested", "Contested"),
                        ],
                        help_text="of its reviews, by its queue's or the site's policy; empty: no review",
                        max_length=10,
                    ),
                ),
                (
                    "votes",
                    models.PositiveSmallIntegerField(default=0, help_text="reviewers with a standing vote"),
                ),
                (
                    "agreement",
                    models.FloatField(
                        blank=True,
                        help_text="share of the votes that agree with the verdict; null: no votes",
                        null=True,
                    ),
                ),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "withdrawn",
                    models.BooleanField(
                        default=False,
                        help_text="hidden from lists, queues and recipes; its newest withdrawal says why",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="children",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "twin",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="the kernel that this one translates into another language",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="twins",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Ingest",
            fields=[
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("file_name", models.CharField(max_length=255)),
                (
                    "path",
                    models.CharField(help_text="path of the file or folder on the server", max_length=1000),
                ),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "format",
                    models.CharField(
                        blank=True, help_text="the reader's name; empty until recognised", max_length=40
                    ),
                ),
                (
                    "mapping",
                    models.JSONField(
                        blank=True, default=dict, help_text="field to column, for the generic reader"
                    ),
                ),
                (
                    "claimed_device",
                    models.CharField(
                        blank=True,
                        help_text="device the claims were measured on, for rows that do not name one",
                        max_length=120,
                    ),
                ),
                (
                    "group",
                    models.UUIDField(
                        blank=True,
                        db_index=True,
                        help_text="shared by files that were uploaded together",
                        null=True,
                    ),
                ),
                (
                    "provenance",
                    models.JSONField(
                        blank=True, default=dict, help_text="source, URL and licence as entered"
                    ),
                ),
                (
                    "seen",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="columns and first rows of a file that no format recognised",
                    ),
                ),
                ("bytes_read", models.PositiveBigIntegerField(default=0)),
                ("rows", models.PositiveIntegerField(default=0)),
                ("new_tasks", models.PositiveIntegerField(default=0, help_text="tasks that were new")),
                ("new_samples", models.PositiveIntegerField(default=0, help_text="samples that were new")),
                (
                    "new_records",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="records of another kind that were new, such as verification reports",
                    ),
                ),
                (
                    "task_only_rows",
                    models.PositiveIntegerField(default=0, help_text="rows that hold a task and no kernel"),
                ),
                (
                    "duplicates",
                    models.PositiveIntegerField(
                        default=0, help_text="rows that added nothing, because everything was stored already"
                    ),
                ),
                (
                    "restored_samples",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="samples brought back that the undoing of an earlier ingest had withdrawn",
                    ),
                ),
                ("refused", models.PositiveIntegerField(default=0)),
                (
                    "refused_kept",
                    models.PositiveIntegerField(default=0, help_text="refused rows that are stored"),
                ),
                (
                    "awaiting_task",
                    models.PositiveIntegerField(
                        default=0, help_text="refused rows that are stored once their task is"
                    ),
                ),
                (
                    "refused_bytes",
                    models.PositiveBigIntegerField(default=0, help_text="characters of their texts"),
                ),
                (
                    "after",
                    models.ForeignKey(
                        blank=True,
                        help_text="the ingest that has to end first, of files uploaded together",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="followers",
                        to="datasets_app.ingest",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Operator",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, unique=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(db_index=True, max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("elementwise", "Elementwise"),
                            ("reduction", "Reduction"),
                            ("scan", "Scan"),
                            ("matmul", "Matmul"),
                            ("convolution", "Convolution"),
                            ("normalisation", "Normalisation"),
                            ("attention", "softmax, attention"),
                            ("pooling", "Pooling"),
                            ("loss", "Loss"),
                            ("gather", "embedding, gather"),
                            ("ragged", "ragged batch"),
                            ("network", "Network"),
                            ("other", "Other"),
                        ],
                        db_index=True,
                        default="other",
                        max_length=20,
                    ),
                ),
                (
                    "operator_count",
                    models.PositiveSmallIntegerField(default=0, help_text="distinct torch operators"),
                ),
                (
                    "operator_calls",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="calls of torch operators that one run executes; null: not traced",
                        null=True,
                    ),
                ),
                (
                    "suite",
                    models.CharField(
                        blank=True,
                        help_text="the benchmark that numbers it, such as KernelBench",
                        max_length=80,
                    ),
                ),
                ("level", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("problem", models.PositiveIntegerField(blank=True, null=True)),
                ("external_id", models.CharField(blank=True, max_length=120)),
                (
                    "own_licence",
                    models.CharField(
                        blank=True,
                        help_text="of this program, as an SPDX expression, if its source names one per row",
                        max_length=120,
                    ),
                ),
                (
                    "admission",
                    models.JSONField(
                        blank=True, help_text="result of the admission test; null: not run", null=True
                    ),
                ),
                (
                    "admission_engine",
                    models.CharField(blank=True, help_text="engine version of admission", max_length=20),
                ),
                ("admission_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "operators",
                    models.ManyToManyField(blank=True, related_name="tasks", to="datasets_app.operator"),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, unique=True)),
                ("url", models.URLField(blank=True, max_length=500)),
                (
                    "licence",
                    models.CharField(
                        blank=True, help_text="SPDX identifier; empty when none is declared", max_length=120
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="TaskSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "sha256",
                    models.CharField(help_text="of the sorted ids, one per line", max_length=64, unique=True),
                ),
                ("size", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
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
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("profile", models.CharField(default="standard", max_length=20)),
                (
                    "inspect",
                    models.BooleanField(
                        default=False, help_text="collect machine code, profiler counters and memory errors"
                    ),
                ),
                (
                    "wanted_device",
                    models.CharField(
                        choices=[("cpu", "CPU"), ("cuda", "CUDA")],
                        help_text="cpu or cuda; determines its queue",
                        max_length=10,
                    ),
                ),
                (
                    "requirement",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="what a host must have besides: memory:80",
                        max_length=200,
                    ),
                ),
                (
                    "batch",
                    models.UUIDField(
                        blank=True,
                        db_index=True,
                        help_text="shared by verifications requested together",
                        null=True,
                    ),
                ),
                (
                    "priority",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "First"), (3, "Soon"), (6, "after the others")],
                        default=0,
                        help_text="lower values are taken first",
                    ),
                ),
                (
                    "lost",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="workers that stopped answering while they held it"
                    ),
                ),
                (
                    "sent_at",
                    models.DateTimeField(blank=True, help_text="when its newest message was sent", null=True),
                ),
                ("worker", models.CharField(blank=True, max_length=120)),
                (
                    "stage",
                    models.CharField(blank=True, help_text="current stage of the worker", max_length=40),
                ),
                ("stage_detail", models.CharField(blank=True, max_length=300)),
                ("outcome", models.CharField(blank=True, max_length=20)),
                ("detail", models.TextField(blank=True, help_text="reason for the outcome, in one sentence")),
                (
                    "speedup",
                    models.FloatField(blank=True, help_text="over eager, median of paired ratios", null=True),
                ),
                ("speedup_low", models.FloatField(blank=True, null=True)),
                ("speedup_high", models.FloatField(blank=True, null=True)),
                ("median_ms", models.FloatField(blank=True, null=True)),
                ("eager_median_ms", models.FloatField(blank=True, null=True)),
                (
                    "kernelbench_correct",
                    models.BooleanField(
                        blank=True, help_text="verdict of KernelBench's own protocol", null=True
                    ),
                ),
                (
                    "kernelbench_speedup",
                    models.FloatField(blank=True, help_text="by KernelBench's own protocol", null=True),
                ),
                ("time_confirmed", models.BooleanField(default=False, help_text="by the judge's own clock")),
                (
                    "custom_kernel_share",
                    models.FloatField(
                        blank=True,
                        help_text="share of a call's GPU time in kernels built from the submission",
                        null=True,
                    ),
                ),
                ("device", models.CharField(blank=True, help_text="the device's own name", max_length=120)),
                ("engine_version", models.CharField(blank=True, max_length=20)),
                ("torch_version", models.CharField(blank=True, max_length=40)),
                (
                    "report_key",
                    models.CharField(
                        blank=True,
                        help_text="hash of the report, so that it is stored once",
                        max_length=64,
                        null=True,
                        unique=True,
                    ),
                ),
                (
                    "carried_from",
                    models.ForeignKey(
                        blank=True,
                        help_text="the run of the same program and kernel that an edit of the trace alone rests on",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets_app.verification",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("label", models.CharField(blank=True, max_length=80)),
                (
                    "start",
                    models.CharField(help_text="its first characters, to tell tokens apart", max_length=10),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                (
                    "scopes",
                    models.JSONField(default=list, help_text="of read, metrics, annotate, curate, admin"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, help_text="empty: never", null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "API token",
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="BulkAction",
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
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("action", models.CharField(max_length=20)),
                ("params", models.JSONField(default=dict, help_text="the verb's own settings")),
                ("query", models.TextField(blank=True, help_text="the filter; not used where ids are given")),
                (
                    "ids",
                    models.JSONField(
                        blank=True, help_text="the selection; null: all that the filter matches", null=True
                    ),
                ),
                (
                    "total",
                    models.PositiveIntegerField(default=0, help_text="samples, counted at the request"),
                ),
                (
                    "counted",
                    models.BooleanField(
                        default=True, help_text="otherwise total is a lower bound until it begins"
                    ),
                ),
                (
                    "expected",
                    models.PositiveIntegerField(
                        blank=True, help_text="refused if another number of samples matches", null=True
                    ),
                ),
                ("seen", models.PositiveIntegerField(default=0, help_text="progress: samples processed")),
                (
                    "changed",
                    models.PositiveIntegerField(
                        default=0, help_text="of these, samples whose state it changed"
                    ),
                ),
                (
                    "last_number",
                    models.BigIntegerField(
                        default=0, help_text="progress: number of the last sample processed"
                    ),
                ),
                (
                    "result",
                    models.JSONField(blank=True, default=dict, help_text="summary by the verb when done"),
                ),
                (
                    "undo_ended",
                    models.BooleanField(default=False, help_text="its changes need not be kept any longer"),
                ),
                ("dismissed", models.BooleanField(default=False, help_text="its bar was closed")),
                (
                    "actor",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="undone_by",
                        to="datasets_app.bulkaction",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="CodeShape",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("shingle_count", models.PositiveIntegerField()),
                ("shingles", models.BinaryField(help_text="sorted 32-bit hashes, packed")),
                ("signature", models.BinaryField(help_text="MinHash, packed")),
                ("likeness", models.FloatField(default=1.0, help_text="Jaccard similarity to the leader")),
                (
                    "leader",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="members",
                        to="datasets_app.codeshape",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Edit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(max_length=1000)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("accepted", "Accepted"), ("withdrawn", "Withdrawn")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "key",
                    models.UUIDField(
                        help_text="created with the form, so that a repeated submission is stored once",
                        unique=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="edits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "base",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="edits",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "revision",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="edit",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="EditVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("reasoning", models.TextField(blank=True)),
                ("kernel_code", models.TextField()),
                (
                    "language",
                    models.CharField(
                        choices=[
                            ("cuda", "CUDA"),
                            ("cpp", "C++"),
                            ("triton", "Triton"),
                            ("python", "Python"),
                            ("hip", "HIP"),
                            ("sass", "SASS"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "content_id",
                    models.UUIDField(
                        help_text="the id that a sample of these texts has: its reports carry it"
                    ),
                ),
                (
                    "kernel_changed",
                    models.BooleanField(help_text="false: the trace alone differs from the base"),
                ),
                ("trace_changed", models.BooleanField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "edit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="datasets_app.edit",
                    ),
                ),
            ],
            options={
                "ordering": ["edit", "number"],
            },
        ),
        migrations.CreateModel(
            name="Honeypot",
            fields=[
                (
                    "sample",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="honeypot",
                        serialize=False,
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        choices=[("cheat", "known cheat"), ("sound", "known to be sound")], max_length=10
                    ),
                ),
                (
                    "family",
                    models.CharField(help_text="what kind of cheat; for the miss rates", max_length=80),
                ),
                (
                    "explanation",
                    models.TextField(help_text="told to a reviewer after judging", max_length=20000),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["family", "sample"],
            },
        ),
        migrations.CreateModel(
            name="KernelFingerprint",
            fields=[
                (
                    "sample",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="fingerprint",
                        serialize=False,
                        to="datasets_app.sample",
                    ),
                ),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                (
                    "cluster",
                    models.CharField(blank=True, help_text="the cluster of its shape", max_length=12),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SampleBody",
            fields=[
                (
                    "sample",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="body",
                        serialize=False,
                        to="datasets_app.sample",
                    ),
                ),
                ("reasoning", models.TextField(blank=True)),
                ("kernel_code", models.TextField()),
                ("feedback", models.TextField(blank=True, help_text="feedback to the parent turn")),
                (
                    "claims",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="everything that its source claims, see models.source_claim",
                    ),
                ),
                (
                    "is_program",
                    models.BooleanField(
                        default=True,
                        help_text="whether the kernel is meant as a program that defines ModelNew; others are never verified",
                    ),
                ),
                (
                    "extra",
                    models.JSONField(
                        blank=True, default=dict, help_text="columns of the source that have no field here"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BulkChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "bulk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="datasets_app.bulkaction",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="datasets_app.sample",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("assigned_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assigned_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="datasets_app.sample",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="sample",
            name="ingest",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="samples",
                to="datasets_app.ingest",
            ),
        ),
        migrations.CreateModel(
            name="IngestUndo",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                    "restores",
                    models.BooleanField(
                        default=False, help_text="brings samples back instead of withdrawing them"
                    ),
                ),
                ("reason", models.TextField(blank=True, max_length=1000)),
                (
                    "total",
                    models.PositiveIntegerField(
                        default=0, help_text="samples to change, counted when it begins"
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0, help_text="samples changed in this run")),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ingest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undo_runs",
                        to="datasets_app.ingest",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("role", models.CharField(help_text="of the account that is made with it", max_length=20)),
                ("note", models.CharField(blank=True, help_text="for whom it is", max_length=80)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="LoginFailure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=150)),
                ("address", models.CharField(help_text="of IPv6 the /64 network", max_length=45)),
                (
                    "device",
                    models.CharField(
                        blank=True, help_text="a browser that signed in with it before", max_length=32
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["name", "at"], name="login_failure_name"),
                    models.Index(fields=["address", "at"], name="login_failure_address"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Loop",
            fields=[
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "policy",
                    models.CharField(
                        choices=[
                            ("serial", "serial turns, with feedback"),
                            ("best_of_n", "best of N, no feedback"),
                            ("evolution", "evolution on islands"),
                            ("crossover", "evolution with crossover"),
                        ],
                        max_length=12,
                    ),
                ),
                ("most_turns", models.PositiveSmallIntegerField(help_text="the first one included")),
                (
                    "until",
                    models.FloatField(help_text="a speedup over eager that is good enough; 0: passing is"),
                ),
                (
                    "patience",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="turns without a gain that end it; null: any number", null=True
                    ),
                ),
                (
                    "most_tokens",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="of all turns, the judge's included; null: no limit", null=True
                    ),
                ),
                (
                    "told_turns",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="earlier turns that the model is told of"
                    ),
                ),
                ("verify_profile", models.CharField(max_length=20)),
                ("judge_endpoint", models.CharField(blank=True, help_text="empty: no judge", max_length=40)),
                ("judge_model", models.CharField(blank=True, max_length=120)),
                (
                    "islands",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="evolution: populations apart from each other",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "migrate_every",
                    models.PositiveSmallIntegerField(
                        default=3,
                        help_text="evolution: in each such turn an island takes parents of the next one",
                    ),
                ),
                (
                    "ended_by",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("good_enough", "every candidate passed and is fast enough"),
                            ("turns", "it had all its turns"),
                            ("no_gain", "its last turns brought no gain"),
                            ("budget", "its budget of tokens is used"),
                            ("nothing_to_ask", "no candidate has a verdict to go on from"),
                        ],
                        help_text="the rule that ended it",
                        max_length=20,
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="MaintenanceRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                    "kind",
                    models.CharField(
                        choices=[
                            ("neighbours", "Index of similar kernels"),
                            ("tokens", "Trace lengths"),
                            ("search", "Text search"),
                            ("evidence", "Evidence by device"),
                            ("verdicts", "Verdicts of reviews"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "done",
                    models.PositiveIntegerField(
                        default=0, help_text="samples brought up to date in this run"
                    ),
                ),
                (
                    "total",
                    models.PositiveIntegerField(
                        default=0, help_text="samples that were outdated when it began"
                    ),
                ),
                (
                    "detail",
                    models.CharField(blank=True, help_text="version that it updates them to", max_length=200),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4,
                        help_text="created with the form, so that a repeated submission is stored once",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("key_insight", "key insight"),
                            ("redundant", "redundant"),
                            ("wrong_claim", "wrong claim"),
                            ("hallucinated_api", "hallucinated API"),
                            ("self_correction", "self-correction"),
                            ("cuda_sensitive", "CUDA-sensitive region"),
                            ("race", "race"),
                            ("bounds", "bounds"),
                            ("precision", "precision"),
                        ],
                        max_length=20,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="NoteAnchor",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "position",
                    models.PositiveSmallIntegerField(
                        help_text="1: the note's own anchor, 2: the one tied to it"
                    ),
                ),
                (
                    "text",
                    models.CharField(
                        choices=[("program", "Program"), ("trace", "Trace"), ("kernel", "Kernel")],
                        max_length=10,
                    ),
                ),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("digest", models.CharField(help_text="SHA-256 of the text as UTF-8, in hex", max_length=64)),
                ("quote", models.CharField(help_text="the beginning of the span", max_length=200)),
                (
                    "note",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="anchors",
                        to="datasets_app.note",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="NoteEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4,
                        help_text="created with the form, so that a repeated submission is stored once",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="from 1, in the order of the thread")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("comment", "Comment"),
                            ("answer", "Answer"),
                            ("edit", "Edit"),
                            ("resolve", "Resolve"),
                            ("reopen", "Reopen"),
                            ("withdraw", "Withdraw"),
                        ],
                        max_length=10,
                    ),
                ),
                ("text", models.TextField(blank=True, max_length=10000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="note_entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "mentions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="accounts named in the text",
                        related_name="note_mentions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "note",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="datasets_app.note",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="the comment or answer that this edits or withdraws; empty: it concerns the note",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="datasets_app.noteentry",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "note entries",
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="NoteRead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "note",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets_app.note",
                    ),
                ),
                (
                    "reader",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4,
                        help_text="created with the form, so that a repeated submission is stored once",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "choice",
                    models.CharField(
                        choices=[("left", "Left"), ("right", "Right"), ("tie", "Tie")], max_length=5
                    ),
                ),
                ("reason", models.TextField(blank=True, max_length=10000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "left",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences_on_the_left",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "right",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences_on_the_right",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preferences",
                        to="datasets_app.task",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="PreferenceWithdrawal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(max_length=1000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "preference",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawal",
                        to="datasets_app.preference",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="ProgramFingerprint",
            fields=[
                (
                    "task",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="fingerprint",
                        serialize=False,
                        to="datasets_app.task",
                    ),
                ),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                (
                    "signature",
                    models.BinaryField(
                        default=bytes, help_text="MinHash of the program's tokens, own names left out"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TaskBody",
            fields=[
                (
                    "task",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="body",
                        serialize=False,
                        to="datasets_app.task",
                    ),
                ),
                ("pytorch_code", models.TextField()),
                (
                    "extra",
                    models.JSONField(
                        blank=True, default=dict, help_text="columns of the source that have no field here"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="sample",
            name="task",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="samples",
                to="datasets_app.task",
            ),
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
            },
        ),
        migrations.CreateModel(
            name="Recipe",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.SlugField(max_length=80, unique=True)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("description", models.TextField(blank=True, max_length=20000)),
                ("definition", models.JSONField(help_text="version, seed, rules, splits")),
                ("version", models.PositiveIntegerField(default=1, help_text="number of the newest version")),
                (
                    "save_count",
                    models.PositiveIntegerField(
                        default=1,
                        help_text="how often it was saved; a form names the count that it began from",
                    ),
                ),
                (
                    "builtin",
                    models.BooleanField(
                        default=False, help_text="comes with the project; copy it to change it"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-builtin", "name"],
            },
        ),
        migrations.CreateModel(
            name="RecipeVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("definition", models.JSONField(help_text="version, seed, rules, splits")),
                ("message", models.CharField(blank=True, help_text="what changed, and why", max_length=1000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "recipe",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="datasets_app.recipe",
                    ),
                ),
            ],
            options={
                "ordering": ["recipe", "-number"],
            },
        ),
        migrations.CreateModel(
            name="RefusedRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("line", models.PositiveIntegerField(help_text="1-based line or row of the file")),
                ("field", models.CharField(blank=True, max_length=80)),
                ("reason", models.CharField(max_length=500)),
                (
                    "value",
                    models.CharField(blank=True, help_text="start of the offending value", max_length=200),
                ),
                (
                    "raw",
                    models.TextField(blank=True, help_text="the row as JSON or as in the file, truncated"),
                ),
                (
                    "awaits",
                    models.CharField(
                        blank=True,
                        help_text="the suite whose task is not stored yet; empty: to be corrected",
                        max_length=80,
                    ),
                ),
                (
                    "ingest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_rows",
                        to="datasets_app.ingest",
                    ),
                ),
            ],
            options={
                "ordering": ["ingest", "line", "id"],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                ("name", models.SlugField(max_length=80, unique=True)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("notes", models.TextField(blank=True, max_length=20000)),
                ("recipe_name", models.CharField(max_length=80)),
                (
                    "recipe_version",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="of the recipe; null: the definition was no stored recipe's",
                        null=True,
                    ),
                ),
                ("definition", models.JSONField(help_text="the recipe's definition as it was")),
                (
                    "device",
                    models.CharField(
                        blank=True,
                        help_text="device of all rows' evidence; empty until frozen, or on a site without evidence",
                        max_length=120,
                    ),
                ),
                (
                    "funnel",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="one record per rule: rows in, rows out, rows dropped",
                    ),
                ),
                ("split_counts", models.JSONField(blank=True, default=dict)),
                (
                    "split_report",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="what was kept together, groups, and leaks; empty: one split",
                    ),
                ),
                (
                    "counts",
                    models.JSONField(
                        blank=True, default=dict, help_text="rows by kind, language, source, licence and more"
                    ),
                ),
                ("row_count", models.PositiveIntegerField(default=0)),
                ("task_count", models.PositiveIntegerField(default=0)),
                ("rows_written", models.PositiveIntegerField(default=0, help_text="progress of the freeze")),
                (
                    "content_sha256",
                    models.CharField(
                        blank=True, help_text="over ids, splits and row snapshots in order", max_length=64
                    ),
                ),
                (
                    "versions",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="site, tokenizer, engines that the evidence came from",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "recipe",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="releases",
                        to="datasets_app.recipe",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "public"), ("token", "by token"), ("private", "private")],
                        default="token",
                        max_length=10,
                    ),
                ),
                ("yanked_at", models.DateTimeField(blank=True, null=True)),
                ("yank_reason", models.TextField(blank=True, max_length=1000)),
                (
                    "description",
                    models.TextField(
                        blank=True,
                        help_text="what the card says of the release; null: the notes with which it was frozen",
                        max_length=20000,
                        null=True,
                    ),
                ),
                (
                    "readers",
                    models.ManyToManyField(
                        blank=True,
                        help_text="who may read it while it is private, besides its creator and curators",
                        related_name="readable_releases",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "yanked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_publication",
                        to="datasets_app.release",
                    ),
                ),
                (
                    "superseded_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="supersedes",
                        to="datasets_app.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Export",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                    "format",
                    models.CharField(
                        help_text="a name of datasets_app.export.formats, 'card' or 'zip'", max_length=20
                    ),
                ),
                (
                    "path",
                    models.CharField(
                        help_text="inside the release's folder, such as data/train-00000-of-00001.parquet",
                        max_length=200,
                    ),
                ),
                (
                    "options",
                    models.JSONField(
                        blank=True, default=dict, help_text="of the format, those that are not the default"
                    ),
                ),
                (
                    "split",
                    models.CharField(
                        blank=True,
                        choices=[("train", "Train"), ("validation", "Validation"), ("test", "Test")],
                        help_text="empty: not rows",
                        max_length=10,
                    ),
                ),
                ("first_position", models.PositiveIntegerField(default=0, help_text="of the release's rows")),
                ("row_count", models.PositiveIntegerField(default=0)),
                (
                    "record_count",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="what the format made of the rows; null: not written yet",
                        null=True,
                    ),
                ),
                ("rows_written", models.PositiveIntegerField(default=0, help_text="progress")),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "crc32",
                    models.PositiveBigIntegerField(
                        default=0, help_text="for the archive; of the archive itself: 0"
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exports",
                        to="datasets_app.release",
                    ),
                ),
            ],
            options={
                "ordering": ["release", "path"],
            },
        ),
        migrations.CreateModel(
            name="Review",
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
                        choices=[("vote", "review"), ("adjudication", "Adjudication")],
                        default="vote",
                        help_text="adjudication: the decision of a curator where reviewers disagree; it wins",
                        max_length=12,
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        choices=[("accept", "Accept"), ("fix", "needs a fix"), ("reject", "Reject")],
                        max_length=10,
                    ),
                ),
                (
                    "scores",
                    models.JSONField(
                        blank=True, default=dict, help_text="1 to 5 by the name of the criterion"
                    ),
                ),
                (
                    "reasons",
                    models.JSONField(blank=True, default=list, help_text="codes of the rubric, in its order"),
                ),
                ("comment", models.TextField(blank=True, max_length=20000)),
                (
                    "active_s",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="seconds in which the reviewer was active on the sample's page; null: not measured",
                        null=True,
                        validators=[django.core.validators.MaxValueValidator(86400)],
                    ),
                ),
                (
                    "key",
                    models.UUIDField(
                        help_text="created with the form, so that a repeated submission is stored once",
                        unique=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="ReviewClaim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.PositiveSmallIntegerField(default=1)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to="datasets_app.sample",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReviewDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("fields", models.JSONField(default=dict)),
                (
                    "skipped_at",
                    models.DateTimeField(
                        blank=True, help_text="skipped by this reviewer: offered last", null=True
                    ),
                ),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "version",
                    models.BigIntegerField(
                        default=0,
                        help_text="increases with each save; a page sends the version that it has loaded",
                    ),
                ),
                (
                    "written_by",
                    models.UUIDField(blank=True, help_text="key of the form that saved it last", null=True),
                ),
                (
                    "set_aside",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="texts of other pages that were based on an older version: form key to {fields, at}",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="datasets_app.sample",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReviewQueue",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80, unique=True)),
                ("words", models.TextField(blank=True, help_text="for its reviewers", max_length=20000)),
                (
                    "query",
                    models.TextField(
                        blank=True, help_text="a query line; empty: all samples", max_length=4000
                    ),
                ),
                (
                    "order",
                    models.CharField(
                        choices=[
                            ("oldest", "oldest first"),
                            ("random", "random, by seed"),
                            ("uncertain", "most uncertain first"),
                            ("claim", "highest claimed speedup first"),
                            ("disagreement", "disagreement first"),
                            ("stratified", "a facet's values in rotation"),
                        ],
                        default="oldest",
                        max_length=12,
                    ),
                ),
                ("seed", models.PositiveIntegerField(default=0, help_text="of the random order")),
                (
                    "facet",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("language", "Language"),
                            ("kind", "task kind"),
                            ("generator", "Generator"),
                            ("source", "Source"),
                            ("suite", "Suite"),
                            ("outcome", "Outcome"),
                        ],
                        help_text="of the rotation",
                        max_length=12,
                    ),
                ),
                (
                    "overlap",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="reviews wanted per sample, by different reviewers",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(9),
                        ],
                    ),
                ),
                (
                    "target",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="samples wanted; null: all that match",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(20000),
                        ],
                    ),
                ),
                ("deadline", models.DateField(blank=True, null=True)),
                (
                    "may_name_reviewers",
                    models.BooleanField(
                        default=True,
                        editable=False,
                        help_text="false: it names nobody, which spares reading the reviewers",
                    ),
                ),
                (
                    "blind",
                    models.BooleanField(
                        default=True, help_text="reviewers see others' reviews of a sample after their own"
                    ),
                ),
                (
                    "policy",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("newest", "newest review"),
                            ("majority", "majority"),
                            ("unanimous", "unanimous"),
                            ("adjudicated", "adjudication only"),
                        ],
                        help_text="empty: the site's policy",
                        max_length=12,
                    ),
                ),
                (
                    "honeypot_percent",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="of its samples that are honeypots, beyond its target, as far as there are any",
                        validators=[django.core.validators.MaxValueValidator(50)],
                    ),
                ),
                (
                    "decided_policy",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="that its samples were last decided by",
                        max_length=12,
                    ),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        default=1,
                        editable=False,
                        help_text="increases with each change; an open form carries it",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reviewers",
                    models.ManyToManyField(
                        blank=True,
                        help_text="none: all annotators",
                        related_name="review_queues",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="QueueItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                (
                    "is_open",
                    models.BooleanField(
                        default=True, help_text="its queue is open; repeated for a constraint"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="queue_items",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "queue",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="datasets_app.reviewqueue",
                    ),
                ),
            ],
            options={
                "ordering": ["queue", "position"],
            },
        ),
        migrations.CreateModel(
            name="ReviewSkip",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "no reason given"),
                            ("unsure", "I cannot judge it"),
                            ("too_long", "too long for now"),
                            ("unverified", "lacks evidence"),
                            ("conflict", "I have an interest in it"),
                            ("other", "another reason"),
                        ],
                        max_length=12,
                    ),
                ),
                ("words", models.TextField(blank=True, max_length=1000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "queue",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="skips",
                        to="datasets_app.reviewqueue",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skips",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="skips",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="ReviewWithdrawal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(max_length=1000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "review",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawal",
                        to="datasets_app.review",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RubricVersion",
            fields=[
                ("number", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                (
                    "criteria",
                    models.JSONField(default=list, help_text="the fields of Criterion, in the form's order"),
                ),
                (
                    "reasons",
                    models.JSONField(default=list, help_text="the fields of Reason, in the form's order"),
                ),
                (
                    "reason_required_for",
                    models.JSONField(default=list, help_text="verdicts that need a reason"),
                ),
                (
                    "comment_required_for",
                    models.JSONField(default=list, help_text="verdicts that need a comment"),
                ),
                (
                    "guidelines",
                    models.TextField(
                        blank=True, help_text="worked examples, in paragraphs", max_length=20000
                    ),
                ),
                ("note", models.TextField(blank=True, help_text="what changed, and why", max_length=1000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="empty: comes with the project",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rubric_versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="review",
            name="rubric",
            field=models.ForeignKey(
                help_text="the version that it was made under",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reviews",
                to="datasets_app.rubricversion",
            ),
        ),
        migrations.CreateModel(
            name="SampleWithdrawal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(max_length=1000)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "ended_at",
                    models.DateTimeField(blank=True, help_text="when the sample was brought back", null=True),
                ),
                (
                    "ended_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ingest",
                    models.ForeignKey(
                        blank=True,
                        help_text="whose undoing withdrew it; null: withdrawn by itself",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawals",
                        to="datasets_app.ingest",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawals",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "query",
                    models.TextField(
                        blank=True,
                        help_text="the parameters of the address: filter, sort, columns, density",
                        max_length=4000,
                    ),
                ),
                (
                    "shared",
                    models.BooleanField(
                        default=False, help_text="everybody may open it; only its owner may change it"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_views",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
            },
        ),
        migrations.CreateModel(
            name="DefaultView",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="default_view",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "view",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="datasets_app.savedview",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SecondFactor",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "secret",
                    models.CharField(help_text="shared with the app; required to check codes", max_length=64),
                ),
                (
                    "last_step",
                    models.BigIntegerField(
                        default=0,
                        help_text="time step of the last accepted code; codes of earlier steps are refused",
                    ),
                ),
                (
                    "recovery",
                    models.JSONField(default=list, help_text="SHA-256 of each unused recovery code"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="second_factor",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ShapeBand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BigIntegerField()),
                ("leads", models.BooleanField(default=False, help_text="the shape leads its cluster")),
                (
                    "shape",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bands",
                        to="datasets_app.codeshape",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="task",
            name="source",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="tasks", to="datasets_app.source"
            ),
        ),
        migrations.AddField(
            model_name="sample",
            name="source",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="samples",
                to="datasets_app.source",
            ),
        ),
        migrations.AddField(
            model_name="ingest",
            name="source",
            field=models.ForeignKey(
                blank=True,
                help_text="null: the format's own, once the file is recognised",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ingests",
                to="datasets_app.source",
            ),
        ),
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=120, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("synthesis", "Synthesis"),
                            ("kernelbench", "KernelBench run"),
                            ("published", "published set"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "generator",
                    models.CharField(
                        blank=True, help_text="the most frequent one of its samples", max_length=120
                    ),
                ),
                (
                    "device",
                    models.CharField(
                        blank=True,
                        help_text="empty: the reference device, or the one with most of its evidence",
                        max_length=120,
                    ),
                ),
                (
                    "profile",
                    models.CharField(
                        blank=True,
                        help_text="evidence of a less strict profile is undecided; empty: any",
                        max_length=20,
                    ),
                ),
                (
                    "per_task",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="candidates that were asked for; null: those of the task with most",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        help_text="of its samples",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="datasets_app.source",
                    ),
                ),
                (
                    "task_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="datasets_app.taskset",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "source",
                    models.CharField(choices=[("evidence", "rule"), ("model", "Model")], max_length=10),
                ),
                ("maker", models.CharField(help_text="name of the rule or of the model", max_length=80)),
                ("version", models.CharField(max_length=40)),
                (
                    "kind",
                    models.CharField(
                        choices=[("verdict", "Verdict"), ("span", "span with a label")], max_length=10
                    ),
                ),
                ("basis", models.CharField(blank=True, max_length=120)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("accept", "Accept"), ("fix", "needs a fix"), ("reject", "Reject")],
                        max_length=10,
                    ),
                ),
                ("scores", models.JSONField(blank=True, default=dict, help_text="by criterion")),
                (
                    "text",
                    models.CharField(
                        blank=True,
                        choices=[("program", "Program"), ("trace", "Trace"), ("kernel", "Kernel")],
                        help_text="of a span",
                        max_length=10,
                    ),
                ),
                (
                    "start",
                    models.PositiveIntegerField(blank=True, help_text="of a span, in code points", null=True),
                ),
                ("end", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "digest",
                    models.CharField(
                        blank=True, help_text="SHA-256 of the text as UTF-8, in hex", max_length=64
                    ),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("key_insight", "key insight"),
                            ("redundant", "redundant"),
                            ("wrong_claim", "wrong claim"),
                            ("hallucinated_api", "hallucinated API"),
                            ("self_correction", "self-correction"),
                            ("cuda_sensitive", "CUDA-sensitive region"),
                            ("race", "race"),
                            ("bounds", "bounds"),
                            ("precision", "precision"),
                        ],
                        max_length=20,
                    ),
                ),
                ("words", models.TextField(help_text="why", max_length=1000)),
                (
                    "confidence",
                    models.FloatField(blank=True, help_text="0 to 1, as its maker states it", null=True),
                ),
                (
                    "withdrawn_at",
                    models.DateTimeField(blank=True, help_text="when its account took it back", null=True),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "posted_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="the account whose program sent it; empty: a rule of the site",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestions",
                        to="datasets_app.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="SuggestionAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("shown_at", models.DateTimeField(default=django.utils.timezone.now, help_text="first time")),
                (
                    "reply",
                    models.CharField(
                        blank=True,
                        choices=[("taken", "Taken"), ("dropped", "Dropped"), ("overruled", "Overruled")],
                        help_text="empty: neither taken nor dropped",
                        max_length=10,
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "agreed",
                    models.BooleanField(
                        blank=True, help_text="whether that review has this verdict", null=True
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        blank=True,
                        help_text="the reviewer's newest one since it was shown",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestion_answers",
                        to="datasets_app.review",
                    ),
                ),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="suggestion_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "suggestion",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answers",
                        to="datasets_app.suggestion",
                    ),
                ),
            ],
            options={
                "ordering": ["-shown_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Synthesis",
            fields=[
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "name",
                    models.CharField(help_text="also of its samples' source", max_length=120, unique=True),
                ),
                ("endpoint", models.CharField(help_text="a name in CONCUR_ENDPOINTS", max_length=40)),
                ("model", models.CharField(help_text="as the endpoint calls it", max_length=120)),
                ("template", models.CharField(help_text="the prompt's name and version", max_length=60)),
                (
                    "messages",
                    models.JSONField(help_text="the prompt's texts as they were, before a task is put in"),
                ),
                (
                    "sampling",
                    models.JSONField(
                        default=dict, help_text="temperature and the like, sent with every request"
                    ),
                ),
                ("per_task", models.PositiveSmallIntegerField(help_text="candidates for each task")),
                (
                    "seed",
                    models.PositiveIntegerField(
                        help_text="of the first candidate of a task; each further one has the next"
                    ),
                ),
                (
                    "at_once",
                    models.PositiveSmallIntegerField(
                        help_text="requests that wait for an answer at the same time"
                    ),
                ),
                ("requests_a_minute", models.PositiveIntegerField(default=0, help_text="0: no limit")),
                (
                    "most_tokens",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="of prompts and answers; null: no limit", null=True
                    ),
                ),
                (
                    "verify_profile",
                    models.CharField(
                        blank=True,
                        help_text="its samples are verified under it at the end; empty: they are not",
                        max_length=20,
                    ),
                ),
                (
                    "stopped",
                    models.CharField(
                        blank=True,
                        help_text="why it ended before every candidate was asked for",
                        max_length=300,
                    ),
                ),
                ("turn", models.PositiveSmallIntegerField(default=0, help_text="0: a first turn")),
                (
                    "told_turns",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="earlier turns that the model is told of"
                    ),
                ),
                ("judge_endpoint", models.CharField(blank=True, help_text="empty: no judge", max_length=40)),
                ("judge_model", models.CharField(blank=True, max_length=120)),
                (
                    "judge_template",
                    models.CharField(blank=True, help_text="its prompt's name and version", max_length=60),
                ),
                (
                    "judge_messages",
                    models.JSONField(blank=True, default=list, help_text="its prompt's texts as they were"),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ingest",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="datasets_app.ingest",
                    ),
                ),
                (
                    "loop",
                    models.ForeignKey(
                        blank=True,
                        help_text="that started this turn, or that follows it",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="turns",
                        to="datasets_app.loop",
                    ),
                ),
                (
                    "refines",
                    models.ForeignKey(
                        blank=True,
                        help_text="the synthesis whose samples were fed back; null: a first turn",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="refinements",
                        to="datasets_app.synthesis",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        help_text="the run that it is a turn of",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="turns",
                        to="datasets_app.evaluationrun",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="syntheses",
                        to="datasets_app.source",
                    ),
                ),
                (
                    "verify_action",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="datasets_app.bulkaction",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "syntheses",
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.AddField(
            model_name="loop",
            name="current",
            field=models.ForeignKey(
                help_text="the newest turn",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="datasets_app.synthesis",
            ),
        ),
        migrations.AddField(
            model_name="loop",
            name="first",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="started_loop",
                to="datasets_app.synthesis",
            ),
        ),
        migrations.CreateModel(
            name="Candidate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(help_text="among those of its task, from 0")),
                (
                    "trajectory",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="number of the first turn's candidate of this task that it goes back to",
                    ),
                ),
                ("feedback", models.TextField(blank=True, help_text="on the parent, as the model is told")),
                ("advice", models.TextField(blank=True, help_text="of the judge, told after the feedback")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("stored", "Stored"),
                            ("refused", "no kernel in the answer"),
                            ("failed", "no answer"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="of one that is not stored, by name", max_length=40
                    ),
                ),
                ("detail", models.CharField(blank=True, max_length=500)),
                (
                    "answer",
                    models.TextField(
                        blank=True, help_text="what was answered, kept where no sample holds it"
                    ),
                ),
                (
                    "finish_reason",
                    models.CharField(blank=True, help_text="as the endpoint names it", max_length=40),
                ),
                ("prompt_tokens", models.PositiveIntegerField(default=0)),
                ("answer_tokens", models.PositiveIntegerField(default=0, help_text="reasoning included")),
                ("judge_prompt_tokens", models.PositiveIntegerField(default=0)),
                ("judge_answer_tokens", models.PositiveIntegerField(default=0)),
                (
                    "mean_logprob",
                    models.FloatField(blank=True, help_text="of the answer's tokens, natural", null=True),
                ),
                (
                    "seconds",
                    models.FloatField(blank=True, help_text="of the request that was answered", null=True),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        help_text="the sample of the turn before",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="candidates",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="datasets_app.task"
                    ),
                ),
                (
                    "synthesis",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="candidates",
                        to="datasets_app.synthesis",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="TableExport",
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
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("table", models.CharField(help_text="a name of datasets_app.export.tables", max_length=20)),
                ("format", models.CharField(max_length=20)),
                ("columns", models.JSONField(default=list)),
                (
                    "selected",
                    models.BooleanField(default=False, help_text="chosen rows; otherwise all of the table"),
                ),
                ("total", models.PositiveIntegerField(default=0, help_text="rows to write")),
                ("done", models.PositiveIntegerField(default=0, help_text="progress: rows written")),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        max_length=100,
                        validators=[
                            django.core.validators.RegexValidator("^[A-Za-z0-9][A-Za-z0-9_./-]{0,99}\\Z")
                        ],
                    ),
                ),
                (
                    "colour",
                    models.CharField(
                        choices=[
                            ("grey", "Grey"),
                            ("blue", "Blue"),
                            ("teal", "Teal"),
                            ("green", "Green"),
                            ("amber", "Amber"),
                            ("red", "Red"),
                            ("violet", "Violet"),
                            ("pink", "Pink"),
                        ],
                        default="grey",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="SampleTag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                (
                    "added_by",
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sample_tags",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "tag",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sample_tags",
                        to="datasets_app.tag",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TaskFinding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        choices=[
                            ("output_range", "all outputs are within 0.01 of zero"),
                            ("output_std", "the outputs vary by less than 0.01"),
                            ("output_axes", "the outputs vary by less than 0.01 along an axis"),
                            ("input_impact", "the output does not depend on all of its inputs"),
                            ("llm_sanity", "the source's language model objected to the task"),
                            ("constant_output", "a constant, zeros or the output's mean pass in its place"),
                            ("weights_ignored", "some weights do not change the output"),
                            ("nondeterministic", "the program returns different outputs for the same inputs"),
                            ("random_reference", "the program draws random numbers of its own"),
                            ("precision_insensitive", "operands of the next lower precision pass"),
                        ],
                        max_length=40,
                    ),
                ),
                ("by_source", models.BooleanField(default=False)),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="datasets_app.task",
                    ),
                ),
            ],
            options={
                "ordering": ["task", "code"],
            },
        ),
        migrations.CreateModel(
            name="TaskSetMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="datasets_app.task"
                    ),
                ),
                (
                    "task_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="datasets_app.taskset",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
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
        migrations.AddField(
            model_name="verification",
            name="edit_version",
            field=models.ForeignKey(
                blank=True,
                help_text="the proposed text that was run; its row has no sample until the edit is accepted",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="datasets_app.editversion",
            ),
        ),
        migrations.AddField(
            model_name="verification",
            name="environment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="verifications",
                to="datasets_app.environment",
            ),
        ),
        migrations.AddField(
            model_name="verification",
            name="requested_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="verification",
            name="sample",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="verifications",
                to="datasets_app.sample",
            ),
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
            name="ReleaseRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "position",
                    models.PositiveIntegerField(help_text="0-based; the rows of a split are contiguous"),
                ),
                (
                    "split",
                    models.CharField(
                        choices=[("train", "Train"), ("validation", "Validation"), ("test", "Test")],
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, help_text="the rule that chose it", max_length=80)),
                (
                    "snapshot",
                    models.JSONField(help_text="the facts of datasets_app.export.columns as frozen"),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="datasets_app.release",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="release_rows",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "verification",
                    models.ForeignKey(
                        blank=True,
                        help_text="the verification that the snapshot's evidence rests on; null: none on the release's device",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="release_rows",
                        to="datasets_app.verification",
                    ),
                ),
            ],
            options={
                "ordering": ["release", "position"],
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
                        choices=[("sass", "SASS"), ("ptx", "PTX"), ("assembly", "assembly")], max_length=10
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
                        choices=[("reject", "Reject"), ("audit", "Audit"), ("label", "Label")], max_length=10
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
            name="Evidence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("device", models.CharField(help_text="the device's own name", max_length=120)),
                ("kind", models.CharField(help_text="cpu or cuda", max_length=10)),
                ("outcome", models.CharField(max_length=20)),
                ("speedup", models.FloatField(help_text="over eager, median of paired ratios", null=True)),
                ("speedup_low", models.FloatField(null=True)),
                ("speedup_high", models.FloatField(null=True)),
                ("median_ms", models.FloatField(null=True)),
                ("time_confirmed", models.BooleanField(default=False)),
                ("custom_kernel_share", models.FloatField(null=True)),
                ("profile", models.CharField(max_length=20)),
                ("finished_at", models.DateTimeField()),
                (
                    "runs_disagree",
                    models.BooleanField(
                        default=False,
                        help_text="two runs of this profile and environment have other outcomes, or intervals that do not overlap",
                    ),
                ),
                (
                    "between_low",
                    models.FloatField(
                        help_text="between-run interval; null with fewer than two runs", null=True
                    ),
                ),
                ("between_high", models.FloatField(null=True)),
                ("is_headline", models.BooleanField(default=False, help_text="the evidence that lists show")),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evidence",
                        to="datasets_app.environment",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence",
                        to="datasets_app.sample",
                    ),
                ),
                (
                    "verification",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence",
                        to="datasets_app.verification",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "evidence",
                "ordering": ["sample", "-is_headline", "device"],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=500)),
                (
                    "events",
                    models.JSONField(default=list, help_text="values of WebhookEvent that it is told about"),
                ),
                (
                    "salt",
                    models.CharField(help_text="of its secret; a new one makes a new secret", max_length=64),
                ),
                (
                    "secret_sha256",
                    models.CharField(
                        help_text="of its secret, to notice that the site's secret key has changed",
                        max_length=64,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "disabled_at",
                    models.DateTimeField(blank=True, help_text="empty: events are sent", null=True),
                ),
                (
                    "disabled_note",
                    models.CharField(
                        blank=True,
                        help_text="why the site itself switched it off; empty: a person did",
                        max_length=200,
                    ),
                ),
                (
                    "enabled_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="when it was made or last switched on"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
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
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("event", models.CharField(help_text="a value of WebhookEvent, or ping", max_length=20)),
                ("body", models.TextField(help_text="the JSON as it is sent")),
                (
                    "status_code",
                    models.PositiveSmallIntegerField(
                        blank=True, help_text="of the last answer; empty: none arrived", null=True
                    ),
                ),
                ("next_attempt_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="datasets_app.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "actor_name",
                    models.CharField(
                        help_text="kept if the account is deleted; 'command' for the shell, 'site' for the site itself",
                        max_length=150,
                    ),
                ),
                (
                    "via",
                    models.CharField(
                        blank=True,
                        choices=[("page", "Page"), ("api", "Api"), ("command", "Command"), ("site", "Site")],
                        help_text="the interface it arrived through; empty: recorded before this field existed",
                        max_length=10,
                    ),
                ),
                (
                    "action",
                    models.CharField(
                        db_index=True, help_text="such as review.submit, release.create", max_length=60
                    ),
                ),
                ("target_type", models.CharField(max_length=60)),
                ("target_id", models.CharField(max_length=120)),
                ("detail", models.JSONField(blank=True, default=dict)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        blank=True,
                        help_text="the API token that was used",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="datasets_app.apitoken",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-at", "-id"],
                "indexes": [models.Index(fields=["target_type", "target_id"], name="audit_target")],
            },
        ),
        migrations.AddIndex(
            model_name="bulkaction",
            index=models.Index(fields=["actor", "-created_at"], name="bulk_of_actor"),
        ),
        migrations.AddConstraint(
            model_name="editversion",
            constraint=models.UniqueConstraint(fields=("edit", "number"), name="edit_version_once"),
        ),
        migrations.AddField(
            model_name="kernelfingerprint",
            name="shape",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="null: not in the index of similar kernels yet",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="fingerprints",
                to="datasets_app.codeshape",
            ),
        ),
        migrations.AddIndex(
            model_name="edit",
            index=models.Index(fields=["state", "-created_at", "-id"], name="edit_newest"),
        ),
        migrations.AddConstraint(
            model_name="edit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "accepted")), fields=("base",), name="edit_supersedes_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="edit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("revision__isnull", False), ("state", "accepted")),
                    models.Q(models.Q(("state", "accepted"), _negated=True), ("revision__isnull", True)),
                    _connector="OR",
                ),
                name="edit_accepted_has_revision",
            ),
        ),
        migrations.AddConstraint(
            model_name="edit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closed_at__isnull", True), ("state", "open")),
                    models.Q(models.Q(("state", "open"), _negated=True), ("closed_at__isnull", False)),
                    _connector="OR",
                ),
                name="edit_closed_has_date",
            ),
        ),
        migrations.AddConstraint(
            model_name="bulkchange",
            constraint=models.UniqueConstraint(fields=("bulk", "sample"), name="changed_once_a_bulk"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["reviewer", "sample"], name="assigned_to"),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(fields=("sample", "reviewer"), name="assigned_once"),
        ),
        migrations.AddConstraint(
            model_name="ingestundo",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("ingest",),
                name="one_undo_of_an_ingest_at_once",
            ),
        ),
        migrations.AddIndex(
            model_name="maintenancerun",
            index=models.Index(fields=["kind", "state"], name="maintenance_kind_state"),
        ),
        migrations.AddIndex(
            model_name="note",
            index=models.Index(fields=["sample", "-created_at", "-id"], name="note_of_sample"),
        ),
        migrations.AddIndex(
            model_name="note",
            index=models.Index(fields=["-created_at", "-id"], name="note_newest"),
        ),
        migrations.AddConstraint(
            model_name="noteanchor",
            constraint=models.UniqueConstraint(fields=("note", "position"), name="note_anchor_once"),
        ),
        migrations.AddConstraint(
            model_name="noteanchor",
            constraint=models.CheckConstraint(
                condition=models.Q(("position__range", (1, 2))), name="note_anchor_1_or_2"
            ),
        ),
        migrations.AddConstraint(
            model_name="noteanchor",
            constraint=models.CheckConstraint(
                condition=models.Q(("end__gt", models.F("start"))), name="note_anchor_not_empty"
            ),
        ),
        migrations.AddIndex(
            model_name="noteentry",
            index=models.Index(fields=["author", "-created_at"], name="note_entry_of_author"),
        ),
        migrations.AddConstraint(
            model_name="noteentry",
            constraint=models.UniqueConstraint(fields=("note", "number"), name="note_entry_once"),
        ),
        migrations.AddConstraint(
            model_name="noteread",
            constraint=models.UniqueConstraint(fields=("reader", "note"), name="note_read_once"),
        ),
        migrations.AddIndex(
            model_name="preference",
            index=models.Index(fields=["task", "left", "right"], name="preference_of_task"),
        ),
        migrations.AddIndex(
            model_name="preference",
            index=models.Index(fields=["reviewer", "-created_at", "-id"], name="preference_of_reviewer"),
        ),
        migrations.AddIndex(
            model_name="preference",
            index=models.Index(fields=["-created_at", "-id"], name="preference_newest"),
        ),
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.CheckConstraint(
                condition=models.Q(("left", models.F("right")), _negated=True), name="preference_of_two"
            ),
        ),
        migrations.AddConstraint(
            model_name="baseline",
            constraint=models.UniqueConstraint(
                fields=("task", "device", "mode", "versions_key"), name="baseline_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="baseline",
            constraint=models.CheckConstraint(
                condition=models.Q(("median_ms__gt", 0)), name="baseline_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="recipeversion",
            constraint=models.UniqueConstraint(fields=("recipe", "number"), name="recipe_version_once"),
        ),
        migrations.AddIndex(
            model_name="refusedrow",
            index=models.Index(fields=["ingest", "line", "id"], name="refused_in_order"),
        ),
        migrations.AddIndex(
            model_name="refusedrow",
            index=models.Index(
                condition=models.Q(("awaits", ""), _negated=True),
                fields=["awaits"],
                name="refused_awaiting_task",
            ),
        ),
        migrations.AddIndex(
            model_name="release",
            index=models.Index(fields=["-created_at", "-id"], name="release_newest"),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), models.Q(("content_sha256", ""), _negated=True)),
                    models.Q(("state", "done"), _negated=True),
                    _connector="OR",
                ),
                name="release_done_has_hash",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("yanked_at__isnull", True), ("yank_reason", "")),
                    models.Q(("yanked_at__isnull", False), models.Q(("yank_reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="publication_yank_has_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("superseded_by__isnull", True),
                    models.Q(("superseded_by", models.F("release")), _negated=True),
                    _connector="OR",
                ),
                name="publication_not_superseded_by_itself",
            ),
        ),
        migrations.AddConstraint(
            model_name="export",
            constraint=models.UniqueConstraint(fields=("release", "path"), name="export_path_once"),
        ),
        migrations.AddConstraint(
            model_name="export",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), models.Q(("sha256", ""), _negated=True)),
                    models.Q(("state", "done"), _negated=True),
                    _connector="OR",
                ),
                name="export_done_has_hash",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewclaim",
            constraint=models.UniqueConstraint(fields=("sample", "slot"), name="one_claim_a_slot"),
        ),
        migrations.AddConstraint(
            model_name="reviewclaim",
            constraint=models.UniqueConstraint(fields=("sample", "reviewer"), name="one_claim_a_reviewer"),
        ),
        migrations.AddConstraint(
            model_name="reviewdraft",
            constraint=models.UniqueConstraint(fields=("sample", "reviewer"), name="one_draft_a_reviewer"),
        ),
        migrations.AddConstraint(
            model_name="reviewqueue",
            constraint=models.CheckConstraint(
                condition=models.Q(("overlap__range", (1, 9))), name="queue_overlap_1_to_9"
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewqueue",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("closed_at__isnull", True), ("opened_at__isnull", False), _connector="OR"
                ),
                name="queue_closed_after_opened",
            ),
        ),
        migrations.AddIndex(
            model_name="queueitem",
            index=models.Index(fields=["sample", "-id"], name="item_of_sample"),
        ),
        migrations.AddConstraint(
            model_name="queueitem",
            constraint=models.UniqueConstraint(fields=("queue", "position"), name="one_item_a_position"),
        ),
        migrations.AddConstraint(
            model_name="queueitem",
            constraint=models.UniqueConstraint(fields=("queue", "sample"), name="one_item_a_sample"),
        ),
        migrations.AddConstraint(
            model_name="queueitem",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_open", True)), fields=("sample",), name="one_open_queue_a_sample"
            ),
        ),
        migrations.AddIndex(
            model_name="reviewskip",
            index=models.Index(fields=["queue", "-created_at", "-id"], name="skip_of_queue"),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(fields=["sample", "-created_at", "-id"], name="review_newest"),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(fields=["reviewer", "-created_at", "-id"], name="review_of_reviewer"),
        ),
        migrations.AddIndex(
            model_name="review",
            index=models.Index(fields=["-created_at", "-id"], name="review_list"),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(("active_s__isnull", True), ("active_s__lte", 86400), _connector="OR"),
                name="review_active_s_bounded",
            ),
        ),
        migrations.AddConstraint(
            model_name="samplewithdrawal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("sample",),
                name="sample_withdrawn_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=("owner", "name"),
                name="view_name_once",
            ),
        ),
        migrations.AddIndex(
            model_name="shapeband",
            index=models.Index(fields=["key", "shape"], name="band_key"),
        ),
        migrations.AddIndex(
            model_name="shapeband",
            index=models.Index(fields=["key", "leads", "shape"], name="band_leaders"),
        ),
        migrations.AddIndex(
            model_name="shapeband",
            index=models.Index(fields=["shape"], name="band_shape"),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(fields=["suite", "level", "problem"], name="task_suite_number"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["-created_at", "-id"], name="sample_newest"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["task", "outcome", "-measured_speedup"], name="sample_task_rank"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["outcome", "-created_at", "-id"], name="sample_outcome"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["verdict", "-created_at", "-id"], name="sample_verdict"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["generator", "-created_at", "-id"], name="sample_generator"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["language", "-created_at", "-id"], name="sample_language"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["source", "-created_at", "-id"], name="sample_source"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["device", "-created_at", "-id"], name="sample_device"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["environment", "-created_at", "-id"], name="sample_environment"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["trace_tokens", "id"], name="sample_trace_tokens"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["measured_speedup", "id"], name="sample_measured"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("measured_speedup__isnull", False)),
                fields=["device", "measured_speedup", "id"],
                name="sample_device_speed",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["claimed_speedup", "id"], name="sample_claimed"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("votes__gt", 0)), fields=["votes", "id"], name="sample_votes"
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("agreement__isnull", False)),
                fields=["agreement", "id"],
                name="sample_agreement",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("parent__isnull", False)),
                fields=["parent", "turn"],
                name="sample_follows",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("twin__isnull", False)), fields=["twin"], name="sample_twin"
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("has_trace", True), ("trace_tokens__isnull", False)),
                    models.Q(("has_trace", False), ("trace_tokens__isnull", True)),
                    _connector="OR",
                ),
                name="sample_trace_has_tokens",
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("outcome", ""), ("verified_at__isnull", True)),
                    models.Q(models.Q(("outcome", ""), _negated=True), ("verified_at__isnull", False)),
                    _connector="OR",
                ),
                name="sample_verified_has_date",
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("measured_speedup__isnull", True),
                    models.Q(("measured_speedup__gt", 0), ("outcome", "passed")),
                    _connector="OR",
                ),
                name="sample_speedup_needs_pass",
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reviewed_at__isnull", True), ("verdict", "")),
                    models.Q(models.Q(("verdict", ""), _negated=True), ("reviewed_at__isnull", False)),
                    _connector="OR",
                ),
                name="sample_verdict_has_date",
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("parent__isnull", True),
                    models.Q(("parent", models.F("id")), _negated=True),
                    _connector="OR",
                ),
                name="sample_not_its_own_parent",
            ),
        ),
        migrations.AddIndex(
            model_name="ingest",
            index=models.Index(fields=["-created_at", "-id"], name="ingest_newest"),
        ),
        migrations.AddIndex(
            model_name="suggestion",
            index=models.Index(fields=["-created_at", "-id"], name="suggestion_newest"),
        ),
        migrations.AddIndex(
            model_name="suggestion",
            index=models.Index(fields=["source", "maker", "version"], name="suggestion_of_maker"),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.UniqueConstraint(
                fields=("sample", "source", "maker", "version", "kind", "basis"), name="suggestion_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", True), ("confidence__range", (0, 1)), _connector="OR"
                ),
                name="suggestion_confidence_0_to_1",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("end__gt", models.F("start")),
                        ("kind", "span"),
                        ("start__isnull", False),
                        ("verdict", ""),
                        models.Q(("label", ""), _negated=True),
                    ),
                    models.Q(
                        ("end__isnull", True), ("kind", "verdict"), ("start__isnull", True), ("text", "")
                    ),
                    _connector="OR",
                ),
                name="suggestion_span_has_place",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestionanswer",
            constraint=models.UniqueConstraint(
                fields=("suggestion", "reviewer"), name="suggestion_answer_once"
            ),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(fields=["synthesis", "state", "id"], name="candidate_state"),
        ),
        migrations.AddConstraint(
            model_name="candidate",
            constraint=models.UniqueConstraint(
                fields=("synthesis", "task", "number"), name="candidate_asked_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="candidate",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reason", ""), ("state__in", ["waiting", "stored"])),
                    models.Q(("state__in", ["refused", "failed"]), models.Q(("reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="candidate_reason_of_what_is_not_stored",
            ),
        ),
        migrations.AddIndex(
            model_name="tableexport",
            index=models.Index(fields=["created_by", "-created_at"], name="table_export_of_person"),
        ),
        migrations.AddConstraint(
            model_name="tag",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"), name="tag_name_once"
            ),
        ),
        migrations.AddIndex(
            model_name="sampletag",
            index=models.Index(fields=["tag", "sample"], name="samples_of_tag"),
        ),
        migrations.AddConstraint(
            model_name="sampletag",
            constraint=models.UniqueConstraint(fields=("sample", "tag"), name="tag_once_a_sample"),
        ),
        migrations.AddConstraint(
            model_name="taskfinding",
            constraint=models.UniqueConstraint(fields=("task", "code"), name="task_finding_once"),
        ),
        migrations.AddConstraint(
            model_name="tasksetmember",
            constraint=models.UniqueConstraint(fields=("task_set", "task"), name="task_set_member_once"),
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
            index=models.Index(fields=["state", "-created_at", "-id"], name="verification_state_newest"),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(fields=["state", "-finished_at"], name="verification_finished"),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(
                condition=models.Q(("sent_at", None), ("state", "queued")),
                fields=["wanted_device", "requirement", "priority", "requested_by", "created_at", "id"],
                name="verification_to_send",
            ),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["wanted_device", "requirement", "sent_at", "priority", "created_at"],
                name="verification_queued",
            ),
        ),
        migrations.AddConstraint(
            model_name="verification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("sample", "wanted_device", "profile", "inspect", "requirement"),
                name="verification_waits_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="verification",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("edit_version",),
                name="verification_of_edit_waits_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="verification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("sample__isnull", False), ("edit_version__isnull", False), _connector="OR"
                ),
                name="verification_has_subject",
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
            model_name="releaserow",
            constraint=models.UniqueConstraint(fields=("release", "sample"), name="release_sample_once"),
        ),
        migrations.AddConstraint(
            model_name="releaserow",
            constraint=models.UniqueConstraint(fields=("release", "position"), name="release_position_once"),
        ),
        migrations.AddConstraint(
            model_name="machinecode",
            constraint=models.UniqueConstraint(fields=("verification", "kind"), name="machine_code_once"),
        ),
        migrations.AddIndex(
            model_name="evidence",
            index=models.Index(fields=["device", "outcome", "speedup"], name="evidence_of_device"),
        ),
        migrations.AddIndex(
            model_name="evidence",
            index=models.Index(
                condition=models.Q(("is_headline", False)), fields=["device"], name="evidence_beside_headline"
            ),
        ),
        migrations.AddIndex(
            model_name="evidence",
            index=models.Index(
                condition=models.Q(("runs_disagree", True)),
                fields=["runs_disagree"],
                name="evidence_disagrees",
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.UniqueConstraint(fields=("sample", "device"), name="evidence_once_per_device"),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_headline", True)), fields=("sample",), name="evidence_one_headline"
            ),
        ),
        migrations.AddConstraint(
            model_name="evidence",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("speedup__isnull", True),
                    models.Q(("outcome", "passed"), ("speedup__gt", 0)),
                    _connector="OR",
                ),
                name="evidence_speedup_needs_pass",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-created_at"], name="delivery_newest"),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["created_at"], name="delivery_oldest"),
        ),
        migrations.AddIndex(
            model_name="kernelfingerprint",
            index=models.Index(fields=["shape", "sample"], name="fingerprint_shape"),
        ),
        migrations.AddIndex(
            model_name="kernelfingerprint",
            index=models.Index(fields=["cluster", "sample"], name="fingerprint_cluster"),
        ),
        migrations.AddField(
            model_name="sample",
            name="claim_ratio",
            field=models.GeneratedField(
                expression=Case(
                    When(Q(claimed_speedup__gte=1e-6), then=F("measured_speedup") / F("claimed_speedup")),
                    output_field=models.FloatField(),
                ),
                output_field=models.FloatField(),
                null=True,
                db_persist=True,
                help_text="measured over claimed speedup; the database keeps it true of both",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=Q(claim_ratio__isnull=False),
                fields=["device", "claim_ratio", "id"],
                name="sample_device_ratio",
            ),
        ),
    ]
    operations = [
        CreateTables(operations),
        migrations.RunPython(create_indexes, drop_indexes),
        migrations.RunPython(make_roles, remove_roles),
        migrations.RunPython(store_recipes, remove_recipes),
    ]
