"""`python -m tests.site.stuck_site up --site-only`: the site with one more page, /stuck/, that can hang.

Its site processes are also started from this module, so that they have the page too.
"""

import os
import re
import sys
import threading
from pathlib import Path


def stuck(environ, start_response):
    if environ["QUERY_STRING"] == "in-c":
        re.match(r"(a+)+$", "a" * 60 + "b")  # holds the interpreter's lock beyond any deadline
    threading.Event().wait()


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
    from django.core.management import execute_from_command_line

    from concur_site.up import processes

    if "serve" in sys.argv:
        import concur_site.wsgi

        site = concur_site.wsgi.application
        concur_site.wsgi.application = lambda environ, start_response: (
            stuck if environ["PATH_INFO"] == "/stuck/" else site
        )(environ, start_response)
    processes.MANAGE = [__file__]
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
