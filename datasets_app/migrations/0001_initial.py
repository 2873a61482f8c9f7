import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                        help_text="temperature and the like, as the source gives them",
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
                        ],
                        max_length=10,
                    ),
                ),
                ("external_id", models.CharField(blank=True, max_length=120)),
                (
                    "turn",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="0: a first attempt; else the turn in its trajectory"
                    ),
                ),
                ("has_trace", models.BooleanField()),
                (
                    "trace_tokens",
                    models.PositiveIntegerField(blank=True, help_text="null: no trace", null=True),
                ),
                (
                    "tokenizer",
                    models.CharField(blank=True, help_text="what counted trace_tokens", max_length=60),
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
                        blank=True, help_text="newest verification's; empty: never verified", max_length=20
                    ),
                ),
                ("measured_speedup", models.FloatField(blank=True, null=True)),
                (
                    "device",
                    models.CharField(
                        blank=True, help_text="that the newest verification ran on", max_length=120
                    ),
                ),
                ("verified_at", models.DateTimeField(blank=True, null=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("accept", "Accept"), ("fix", "needs a fix"), ("reject", "Reject")],
                        help_text="newest review's; empty: none",
                        max_length=10,
                    ),
                ),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
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
                    "admission",
                    models.JSONField(
                        blank=True, help_text="what the admission test found; null: not run", null=True
                    ),
                ),
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
                ("scopes", models.JSONField(default=list, help_text="of read, annotate, curate, admin")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
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
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Ingest",
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
                ("file_name", models.CharField(max_length=255)),
                (
                    "path",
                    models.CharField(
                        help_text="where the file or folder lies on the server", max_length=1000
                    ),
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
                        help_text="that the file's claims were measured on, where its rows do not say",
                        max_length=120,
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
                        default=0, help_text="rows that added nothing: all was there already"
                    ),
                ),
                ("refused", models.PositiveIntegerField(default=0)),
                (
                    "after",
                    models.ForeignKey(
                        blank=True,
                        help_text="the ingest that has to end first, of files given together",
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
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ingests",
                        to="datasets_app.source",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
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
                ("feedback", models.TextField(blank=True, help_text="what the parent turn was told")),
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
            name="ingest",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="samples",
                to="datasets_app.ingest",
            ),
        ),
        migrations.AddField(
            model_name="sample",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="children",
                to="datasets_app.sample",
            ),
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
                ("address", models.CharField(max_length=45)),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
            options={
                "indexes": [models.Index(fields=["name", "address", "at"], name="login_failure_recent")],
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
                on_delete=django.db.models.deletion.PROTECT, related_name="samples", to="datasets_app.task"
            ),
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
                ("description", models.TextField(blank=True)),
                ("definition", models.JSONField(help_text="version, seed, rules, splits")),
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
                ("notes", models.TextField(blank=True)),
                ("recipe_name", models.CharField(max_length=80)),
                ("definition", models.JSONField(help_text="the recipe's definition as it was")),
                (
                    "funnel",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="one record a rule: rows in, rows out, what was dropped",
                    ),
                ),
                ("split_counts", models.JSONField(blank=True, default=dict)),
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
                        help_text="a name of datasets_app.export.formats, or 'card'", max_length=20
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
                ("rows_written", models.PositiveIntegerField(default=0, help_text="progress")),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
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
                    models.PositiveIntegerField(help_text="0-based; the rows of a split stand together"),
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
                    models.JSONField(help_text="speedup, outcome, device, verdict, trace length as frozen"),
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
            ],
            options={
                "ordering": ["release", "position"],
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
                    "verdict",
                    models.CharField(
                        choices=[("accept", "Accept"), ("fix", "needs a fix"), ("reject", "Reject")],
                        max_length=10,
                    ),
                ),
                (
                    "correctness",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="1 to 5: does the kernel compute the task?",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(5),
                        ],
                    ),
                ),
                (
                    "kernel_quality",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="1 to 5: is it a good kernel?",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(5),
                        ],
                    ),
                ),
                (
                    "trace_quality",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="1 to 5: does the trace reason well?",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(5),
                        ],
                    ),
                ),
                (
                    "faithfulness",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="1 to 5: does the trace explain this kernel?",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(5),
                        ],
                    ),
                ),
                ("comment", models.TextField(blank=True, max_length=20000)),
                (
                    "key",
                    models.UUIDField(
                        help_text="made with the form: the same submission twice is stored once", unique=True
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                        blank=True, help_text="set aside by this reviewer: handed out last", null=True
                    ),
                ),
                ("updated_at", models.DateTimeField(auto_now=True)),
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
                on_delete=django.db.models.deletion.PROTECT, related_name="samples", to="datasets_app.source"
            ),
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
                        help_text="kept when the account goes; 'command' for the shell", max_length=150
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
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-at", "-id"],
                "indexes": [models.Index(fields=["target_type", "target_id"], name="audit_target")],
            },
        ),
        migrations.CreateModel(
            name="ReviewClaim",
            fields=[
                (
                    "sample",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="claim",
                        serialize=False,
                        to="datasets_app.sample",
                    ),
                ),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "reviewer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="claims",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
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
                    models.CharField(
                        blank=True, help_text="the start of the offending value", max_length=200
                    ),
                ),
                ("raw", models.TextField(blank=True, help_text="the row as JSON or as it stood, capped")),
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
                "indexes": [models.Index(fields=["ingest", "line", "id"], name="refused_in_order")],
            },
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
            model_name="releaserow",
            constraint=models.UniqueConstraint(fields=("release", "sample"), name="release_sample_once"),
        ),
        migrations.AddConstraint(
            model_name="releaserow",
            constraint=models.UniqueConstraint(fields=("release", "position"), name="release_position_once"),
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
                condition=models.Q(
                    ("correctness__isnull", True), ("correctness__range", (1, 5)), _connector="OR"
                ),
                name="review_correctness_1_to_5",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kernel_quality__isnull", True), ("kernel_quality__range", (1, 5)), _connector="OR"
                ),
                name="review_kernel_quality_1_to_5",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("trace_quality__isnull", True), ("trace_quality__range", (1, 5)), _connector="OR"
                ),
                name="review_trace_quality_1_to_5",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("faithfulness__isnull", True), ("faithfulness__range", (1, 5)), _connector="OR"
                ),
                name="review_faithfulness_1_to_5",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewdraft",
            constraint=models.UniqueConstraint(fields=("sample", "reviewer"), name="one_draft_a_reviewer"),
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
            index=models.Index(fields=["trace_tokens", "id"], name="sample_trace_tokens"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["measured_speedup", "id"], name="sample_measured"),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(fields=["claimed_speedup", "id"], name="sample_claimed"),
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
    ]
