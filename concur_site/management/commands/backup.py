"""`manage.py backup FILE`: the whole site as one file, while it runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from concur_site.backup.backup_file import BackupError
from concur_site.backup.take import take_backup
from datasets_app.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Write the whole site (tables, uploads, exports, generated secret key) to one file, while it runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="new file, or a folder for one with the time; a name without suffix is a folder, made if missing",
        )
        parser.add_argument(
            "--without-secret-key",
            action="store_true",
            help="leave out the generated secret key; a restored site then gives its hosts new keys",
        )

    def handle(self, *, file: Path, without_secret_key: bool, **options: Any) -> None:
        try:
            taken = take_backup(file, self.stderr.write, with_secret_key=not without_secret_key)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The backup could not be written: {error}. Nothing is left of it.") from error
        size = filesizeformat(taken.size_bytes).replace("\xa0", " ")
        self.stderr.write(f"{taken.rows:,} rows and {taken.files:,} files, {size}, SHA-256 {taken.sha256}")
        self.stderr.write("It holds password hashes and keys: keep it where only you can read it.")
        self.stdout.write(str(taken.path))
