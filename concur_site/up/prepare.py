"""Brings the data folder up to date. Each step is idempotent.

Tables, static files, an administrator, the key of this machine's worker, the demo pack.
"""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from concur_site import env
from concur_site.backup.schema import applied
from concur_site.up import private_files
from concur_site.up.demo import add_demo_pack
from datasets_app.accounts.people import administrators
from datasets_app.counters import files as counters
from datasets_app.curate.versions import site_version
from eval_app.workers.local_key import prepare_local_key

ADMIN = "admin"
Say = Callable[[str], None]


def prepare(say: Say) -> str | None:
    """Run every step that is due. Return the administrator's new password if one was just generated."""
    for folder in (settings.DATA_DIR, settings.UPLOAD_DIR, settings.EXPORT_DIR, settings.BUILD_CACHE_DIR):
        folder.mkdir(parents=True, exist_ok=True)
    private_files.tighten(say)
    counters.clear()
    migrate(say)
    collect_static_files(say)
    password = make_administrator(say)
    prepare_local_key()
    add_demo_pack(say)
    return password


def migrate(say: Say) -> None:
    """Bring the tables up to date. Raises CommandError for a database of another version of the project."""
    executor = MigrationExecutor(connection)
    check_version(executor)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        say("bringing the database's tables up to date")
        call_command("migrate", interactive=False, verbosity=0)


def check_version(executor: MigrationExecutor) -> None:
    known = executor.loader.disk_migrations
    unknown = sorted(
        f"{app}.{name}"
        for app, names in applied(executor).items()
        for name in names
        if (app, name) not in known
    )
    if unknown:
        raise CommandError(
            f"The database was created by another version of ConCuR Workbench: it has the migration {unknown[-1]}, "
            "which this version lacks. Run that version, or set an empty folder: CONCUR_DATA_DIR=/a/folder."
        )


def static_files_key() -> str:
    """Return a key that changes with any static file of the project and with the lock of its dependencies."""
    lock = settings.BASE_DIR / "requirements" / "web.lock"
    digest = hashlib.sha256(lock.read_bytes() if lock.is_file() else site_version().encode())
    for path in sorted((settings.PAGES_DIR / "static").rglob("*")):
        if path.is_file():
            digest.update(f"{path}:{path.stat().st_mtime_ns}:{path.stat().st_size}".encode())
    return digest.hexdigest()


def collect_static_files(say: Say) -> None:
    stamp = Path(settings.STATIC_ROOT) / ".key"
    key = static_files_key()
    if stamp.exists() and stamp.read_text() == key:
        return
    say("collecting static files")
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(key)


def make_administrator(say: Say) -> str | None:
    """Create the first account. Its password is CONCUR_ADMIN_PASSWORD, or generated and returned to be printed."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists() or administrators().exists():
        return None
    given = env.text("CONCUR_ADMIN_PASSWORD")
    password = given or secrets.token_urlsafe(12)
    user = users.create_superuser(ADMIN, password=password)
    for sentence in weaknesses(password, user):
        say(f"note: CONCUR_ADMIN_PASSWORD is weak. {sentence}")
    user.groups.add(Group.objects.get(name="administrator"))
    return None if given else password


def weaknesses(password: str, user: Any) -> list[str]:
    """Return why the account page would refuse the password. It is accepted here, because a script chose it on
    purpose.
    """
    try:
        validate_password(password, user)
    except ValidationError as error:
        return list(error.messages)
    return []
