#!/bin/sh
# The whole check, in the order of how soon a fault shows. Usage: .ci/test.sh [pytest arguments instead of the whole suite]
set -eu

bin=.venv/bin
# Tests start hundreds of processes, some in sandboxes that cannot write: none of them should compile the sources anew.
unset PYTHONDONTWRITEBYTECODE
$bin/python -m compileall -q concur_site datasets_app eval_app
if [ "$#" -gt 0 ]; then exec $bin/python -m pytest "$@"; fi

# Types are checked beside what follows, which leaves a core idle now and then; a fault ends the check below.
types=$(mktemp)
$bin/mypy concur_site datasets_app eval_app >"$types" 2>&1 & checker=$!
trap 'kill $checker 2>/dev/null || true; rm -f "$types"' EXIT
echo "== style";       $bin/ruff check .; $bin/ruff format --check -q .
echo "== layers";      $bin/lint-imports --no-logo >/dev/null || $bin/lint-imports
echo "== migrations";  $bin/python manage.py makemigrations --check --dry-run
# Once before the workers do: each would write the same rewritten test modules. A fault shows in their run.
$bin/python -m pytest --collect-only -q >/dev/null 2>&1 || true
echo "== types";       wait $checker || { cat "$types"; exit 1; }
cat "$types"
# More workers than cores: tests that start processes mostly wait for one of them.
echo "== tests, on SQLite"
$bin/python -m pytest -n 4 --dist loadgroup --durations 20 -m "not browser and not long"
echo "== tests that touch the database, on PostgreSQL"
$bin/python -m tests.on_postgres -n 2 --dist loadgroup -m "not browser and not engine and not long" --ignore tests/engine tests
echo "== tests in the browser"
# The states of the site share one database, which the others' would empty: they are a run of their own.
states=tests/browser/states
# shellcheck disable=SC2046
$bin/python -m pytest -n 3 --dist loadgroup -m "browser and not long" $(grep -rlE "mark\.browser" tests --include="test_*.py" | grep -v "^$states/")
$bin/python -m pytest -n 3 --dist loadgroup -m "browser and not long" $states
