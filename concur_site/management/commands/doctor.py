from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from concur_site import redis_server
from concur_site.up import checks


class Command(BaseCommand):
    help = "Say what this machine lacks, what the site can reach, and what to do about it."

    def handle(self, *args: Any, **options: Any) -> None:
        from django.conf import settings

        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        self.stdout.write(f"database  {connection.vendor}: answers")
        self.stdout.write(
            f"redis     {'answers' if redis_server.answers(settings.REDIS_URL) else 'does not answer'}"
        )
        self.stdout.write(f"data      {settings.DATA_DIR}")
        found = checks.problems()
        for problem in found:
            self.stdout.write(f"{'fault' if problem.fatal else 'note ':<9} {problem.sentence}")
        if any(problem.fatal for problem in found):
            raise CommandError("`make run` cannot start until the faults above are mended.")
        self.stdout.write("nothing keeps `make run` from starting")
