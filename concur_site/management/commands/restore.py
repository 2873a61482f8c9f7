"""`manage.py restore FILE`: a site from a backup, all or nothing."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from concur_site.backup.backup_file import BackupError
from concur_site.backup.restore import check_backup, restore


class Command(BaseCommand):
    help = "Replace this site by the one in a file of `manage.py backup`. The site must be stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a file of `manage.py backup`")
        parser.add_argument(
            "--replace", action="store_true", help="delete what the site has now, if it is not empty"
        )
        parser.add_argument("--check", action="store_true", help="check the backup only; change nothing")

    def handle(self, *, file: Path, replace: bool, check: bool, **options: Any) -> None:
        try:
            if check:
                backup = check_backup(file)
                self.stdout.write(
                    f"{file} is whole: {len(backup.members):,} members, made {backup.manifest['made_at']}"
                )
                return
            restored = restore(file, self.stderr.write, replace=replace)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The backup could not be restored: {error}. Nothing was changed.") from error
        for note in restored.notes:
            self.stderr.write(f"note: {note}")
        self.stdout.write(f"restored {restored.rows:,} rows and {restored.files:,} files")
