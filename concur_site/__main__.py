"""The site's command line: `manage.py` in a checkout, `concur` where the project is installed."""

import os
import sys


def main() -> None:
    os.umask(0o077)  # what the site writes is its owner's alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
