#!/bin/sh
# The whole check, in the order of how soon a fault shows. Usage: .ci/test.sh [pytest arguments instead of the whole suite]
set -eu

bin=.venv/bin
if [ "$#" -gt 0 ]; then exec $bin/python -m pytest "$@"; fi

echo "== style";       $bin/ruff check . && $bin/ruff format --check -q .
echo "== layers";      $bin/lint-imports --no-logo >/dev/null || $bin/lint-imports
echo "== types";       $bin/mypy concur_site datasets_app eval_app
echo "== migrations";  $bin/python manage.py makemigrations --check --dry-run
echo "== tests, on SQLite"
$bin/python -m pytest -n 2 --dist loadgroup --durations 20 -m "not browser and not long"
echo "== tests that touch the database, on PostgreSQL"
with_database="account admin analysis api browse bulk curate export ingest models neighbours review site tokenizer verify"
$bin/python -m tests.on_postgres -n 2 --dist loadgroup -m "not browser and not engine" $(printf 'tests/%s ' $with_database)
echo "== tests in the browser"
# A process for each folder: Playwright's loop belongs to one set of fixtures.
for folder in $(grep -rlE "mark\.browser" tests --include="test_*.py" | xargs -n1 dirname | sort -u); do
    $bin/python -m pytest -m "browser and not long" "$folder"/test_*.py
done
