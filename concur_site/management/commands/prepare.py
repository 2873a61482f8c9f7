"""`manage.py prepare`: the data folder and the database brought up to date, before anything is started."""

from typing import Any

from django.core.management.base import BaseCommand

from concur_site.up import prepare


class Command(BaseCommand):
    help = (
        "Bring tables and static files up to date, and make the first account; `manage.py up` does the same."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        password = prepare.prepare(self.stderr.write)
        if password:
            self.stderr.write(f"Sign in as {prepare.ADMIN} with this password, which is shown this once:")
            self.stdout.write(password)
