#!/bin/sh
# Run all checks, the fastest first. Usage: .ci/test.sh [pytest arguments instead of the whole suite]
set -eu

bin=.venv/bin
# Compile once: tests start hundreds of processes, some in sandboxes that cannot write compiled files.
unset PYTHONDONTWRITEBYTECODE
$bin/python -m compileall -q -j 0 concur_site datasets_app eval_app
if [ "$#" -gt 0 ]; then exec $bin/python -m pytest "$@"; fi

# Check types in parallel with the next steps, which leave a core idle; errors are reported after the first tests.
types=$(mktemp)
$bin/mypy concur_site datasets_app eval_app clients/python/src >"$types" 2>&1 & checker=$!
trap 'kill $checker 2>/dev/null || true; rm -f "$types"' EXIT
echo "== style";       $bin/ruff check .; $bin/ruff format --check -q .
echo "== layers";      $bin/lint-imports --no-logo >/dev/null || $bin/lint-imports
echo "== migrations";  $bin/python manage.py makemigrations --check --dry-run
# Collect once before the workers, which would all write the same rewritten modules. They report any error.
$bin/python -m pytest --collect-only -q >/dev/null 2>&1 || true
# More workers than cores: tests that start processes mostly wait for them.
echo "== tests, on SQLite"
$bin/python -m pytest -n 4 --dist loadgroup --durations 20 -m "not browser and not long"
echo "== types";       wait $checker || { cat "$types"; exit 1; }
cat "$types"
echo "== tests where databases differ, on PostgreSQL"
$bin/python -m tests.on_postgres -n 3 --dist loadgroup -m "not browser and not engine and not long"
echo "== tests in the browser"
# The states of the site share one database, which other tests would empty: they need a separate run.
states=tests/browser/states
# shellcheck disable=SC2046
$bin/python -m pytest -n 3 --dist loadgroup -m "browser and not long" $(grep -rlE "mark\.browser" tests --include="test_*.py" | grep -v "^$states/")
$bin/python -m pytest -n 3 --dist loadgroup -m "browser and not long" $states
