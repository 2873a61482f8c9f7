"""`manage.py variables`: the environment variables as a Markdown page."""

from typing import Any

from django.core.management.base import BaseCommand

from concur_site.variables import page


class Command(BaseCommand):
    help = "Print every environment variable with its meaning, accepted values and default: docs/settings.md."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(page(), ending="")
