"""What the site's own commands have in common."""

from django.core.management.base import BaseCommand

from datasets_app.traces.lengths import SETTINGS_CHECKS


class SiteCommand(BaseCommand):
    """A command that checks settings before it runs, and no code: `manage.py check` does, and so do the tests.

    Checking addresses, models and admin loads all pages, which takes as long as the rest of a command's start.
    """

    requires_system_checks = [SETTINGS_CHECKS]
