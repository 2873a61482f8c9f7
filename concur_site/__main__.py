"""The site's command line: `manage.py` in a checkout, `concur-site` where the project is installed."""

import gc
import os
import sys


def main() -> None:
    os.umask(0o077)  # what the site writes is its owner's alone
    # Until the site is loaded (SiteConfig.ready): collections were three tenths of a start and more.
    gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from concur_site.data_folder import missing_site

    if sentence := missing_site(sys.argv[1:]):
        sys.exit(sentence)
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except DatabaseError:
        if sentence := what_the_database_lacks():
            sys.exit(sentence)
        raise


def what_the_database_lacks() -> str:
    """Return what to do where the database does not answer or has not all tables; '' where neither is so."""
    from django.db import DatabaseError, connection

    from concur_site.health.checks import tables

    try:
        connection.ensure_connection()
    except DatabaseError as error:
        reason = str(error).strip().partition("\n")[0]
        return f"The database does not answer: {reason}. Start it, or correct DATABASE_URL."
    try:
        return tables().sentence
    except DatabaseError:
        return ""


if __name__ == "__main__":
    main()
