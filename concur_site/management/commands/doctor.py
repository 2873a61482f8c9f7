from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.template.defaultfilters import filesizeformat

from concur_site.health import diagnosis, machine, probe, report
from concur_site.health.part import Status
from concur_site.up import checks
from datasets_app.management.site_command import SiteCommand

PATIENCE_SECONDS = 10.0


class Command(SiteCommand):
    help = "Report what this machine lacks, the health of the site, and what to do about it."

    def handle(self, *args: Any, **options: Any) -> None:
        running = probe.ask(settings.PORT)
        away = f"does not run on port {settings.PORT}; where it runs on another, set CONCUR_PORT here as well"
        self.tell("site", f"runs on port {settings.PORT}" if running else away)
        health = report.current(within_seconds=PATIENCE_SECONDS)
        self.print_health(health)
        problems = [
            *checks.problems(site_is_running=running is not None),
            *checks.check_private_files(),
            *machine.problems(),
            *diagnosis.problems(health),
        ]
        for problem in problems:
            self.tell("fault" if problem.fatal else "note", problem.sentence)
        if health.status == Status.FAILED or any(problem.fatal for problem in problems):
            raise CommandError("`make run` cannot work until the problems above are fixed.")
        self.stdout.write("no problems found" if running else "no problems found: `make run` can start")

    def print_health(self, health: report.Report) -> None:
        """Print the four results of /healthz, as checked from here."""
        for name, part in health.parts.items():
            free = part.numbers.get("free_bytes")
            room = f"{filesizeformat(free)} free".replace("\xa0", " ") if free is not None else ""
            words = [part.sentence or "ok", room, part.detail]
            self.tell(name, "; ".join(word for word in words if word))

    def tell(self, name: str, words: str) -> None:
        self.stdout.write(f"{name:<9} {words}")
