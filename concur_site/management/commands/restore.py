"""`manage.py restore FILE`: a site from an archive, all or nothing."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from concur_site.backup.archive import BackupError
from concur_site.backup.restore import check_archive, restore


class Command(BaseCommand):
    help = "Replace this site by the one in an archive of `manage.py backup`. The site must be stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="an archive of `manage.py backup`")
        parser.add_argument(
            "--replace", action="store_true", help="delete what the site has now, if it is not empty"
        )
        parser.add_argument("--check", action="store_true", help="check the archive only; change nothing")

    def handle(self, *, file: Path, replace: bool, check: bool, **options: Any) -> None:
        try:
            if check:
                archive = check_archive(file)
                self.stdout.write(
                    f"{file} is whole: {len(archive.members):,} members, made {archive.manifest['made_at']}"
                )
                return
            restored = restore(file, self.stderr.write, replace=replace)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The archive could not be restored: {error}. Nothing was changed.") from error
        for note in restored.notes:
            self.stderr.write(f"note: {note}")
        self.stdout.write(f"restored {restored.rows:,} rows and {restored.files:,} files")
