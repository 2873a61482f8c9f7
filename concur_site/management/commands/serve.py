from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = (
        "One process of the site, on a listening socket that `manage.py up` passes on. Not for use by hand."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fd", type=int, required=True, help="the descriptor of the listening socket")
        parser.add_argument(
            "--board", type=int, required=True, help="the descriptor of the board of connections"
        )
        parser.add_argument("--number", type=int, default=1, help="number of this site process")

    def handle(self, *args: Any, **options: Any) -> None:
        # Imported here: `manage.py` imports every command's module to list it, which need not load the site.
        from concur_site.server import serve
        from concur_site.server.board import Board
        from concur_site.wsgi import application
        from datasets_app.counters import files

        files.share(f"site-{options['number']}")
        serve.run(application, options["fd"], Board(options["board"], options["number"]))
