"""`manage.py broker`: the broker that `manage.py up` starts, alone, for a supervisor of its own."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from concur_site import redis_server
from concur_site.up import processes
from concur_site.up.environment import environment_for


class Command(BaseCommand):
    help = "Run the site's own broker until stopped. The process becomes the server."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        try:
            program = processes.own_redis()
        except redis_server.RedisError as error:
            raise CommandError(str(error)) from error
        if program is None:
            raise CommandError("REDIS_URL names a broker that somebody else runs: unset it to run one here.")
        os.execve(program.command[0], program.command, environment_for("redis", os.environ))  # noqa: S606
