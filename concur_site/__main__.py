"""The site's command line: `manage.py` in a checkout, `concur-site` where the project is installed."""

import os
import sys


def main() -> None:
    os.umask(0o077)  # what the site writes is its owner's alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
    from django.core.management import execute_from_command_line

    from concur_site.data_folder import missing_site

    if sentence := missing_site(sys.argv[1:]):
        sys.exit(sentence)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
