#!/bin/sh
# Run all checks, the fastest first. Usage: .ci/test.sh [pytest arguments instead of the whole suite]
set -eu

bin=.venv/bin
# Compile once: tests start hundreds of processes, some in sandboxes that cannot write compiled files.
unset PYTHONDONTWRITEBYTECODE
$bin/python -m compileall -q -j 0 concur_site datasets_app eval_app
if [ "$#" -gt 0 ]; then exec $bin/python -m pytest "$@"; fi

# What runs in the background prints to a file, which is shown when it has ended.
kept=$(mktemp -d) types='' others=''
trap 'kill $types $others 2>/dev/null || true; rm -rf "$kept"' EXIT
trap 'exit 130' INT TERM

# Check types in parallel with the next steps, which leave a core idle.
$bin/mypy concur_site datasets_app eval_app clients/python/src >"$kept/types" 2>&1 & types=$!
echo "== style";       $bin/ruff check .; $bin/ruff format --check -q .
echo "== layers";      $bin/lint-imports --no-logo >/dev/null || $bin/lint-imports
echo "== migrations";  $bin/python manage.py makemigrations --check --dry-run
# Collect once before the workers, which would all write the same rewritten modules. They report any error.
$bin/python -m pytest --collect-only -q >/dev/null 2>&1 || true

# In the background, so that the trap below can end it.
phase() { echo "== tests $1"; shift; "$@" & wait $!; }
other_tests() {
    trap 'kill $!; exit 1' TERM
    phase "where databases differ, on PostgreSQL" \
        $bin/python -m tests.on_postgres -n 2 --dist loadgroup -m "not browser and not engine and not long"
    # The states of the site share one database, which other tests would empty: they need a separate run.
    states=tests/browser/states
    # shellcheck disable=SC2046
    phase "in the browser" $bin/python -m pytest -n 2 --dist loadgroup -m "browser and not long" \
        $(grep -rlE "mark\.browser" tests --include="test_*.py" | grep -v "^$states/")
    phase "of the site's states, in the browser" $bin/python -m pytest -n 2 --dist loadgroup -m "browser and not long" $states
}

# Two runs of tests in parallel, of more workers than cores: tests that start processes or a browser mostly wait for them.
other_tests >"$kept/others" 2>&1 & others=$!
failed=''
echo "== tests on SQLite, while others run whose results follow"
$bin/python -m pytest -n 4 --dist loadgroup --durations 20 -m "not browser and not long" || failed="$failed, tests on SQLite"
echo "== types";       wait $types || failed="$failed, types"
cat "$kept/types"
wait $others || failed="$failed, $(grep '^== tests' "$kept/others" | tail -n 1 | cut -c 4-)"
cat "$kept/others"
[ -z "$failed" ] || { echo "== failed: ${failed#, }"; exit 1; }
