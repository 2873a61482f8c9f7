# The two commands are `make run` and `make test`; each does all of its set-up.
.DEFAULT_GOAL := run
# Fetch the system's packages and Python's in parallel.
MAKEFLAGS += --jobs=2
.PHONY: run test test-packages test-all pictures worker bench docs docs-pictures wheel install lock clean

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Locks are files of pins; a stamp in the environment records the lock from which it was installed.
$(VENV)/made:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none is on the PATH: install one, or name it: make run PYTHON=/path/to/python3.12"; exit 1; }
	@echo "Making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) || { echo "This Python cannot make virtual environments: on Debian or Ubuntu, apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/verify: requirements/verify.lock | $(VENV)/made
	@echo "Installing torch and ninja, for the machine that verifies"
	@$(PIP) --no-compile -r requirements/verify.lock
	@ls -d $(VENV)/lib/python*/site-packages/* >$(VENV)/packages-verify
	@cp requirements/verify.lock $@

$(VENV)/web: requirements/web.lock $(VENV)/verify
	@echo "Installing the site"
	@$(PIP) --no-compile -r requirements/web.lock
	@ls -d $(VENV)/lib/python*/site-packages/* >$(VENV)/packages
	@cp requirements/web.lock $@

# Compiled here, since sandboxes cannot write it, beside pip, which uses one processor. Some files are templates of programs.
# The lists leave out what pip installs meanwhile; what is compiled already is not compiled again.
$(VENV)/compiled-verify: $(VENV)/verify
	@$(BIN)/python -m compileall -q -j 0 -i $(VENV)/packages-verify >/dev/null 2>&1 || true
	@touch $@

$(VENV)/compiled: $(VENV)/web $(VENV)/compiled-verify
	@$(BIN)/python -m compileall -q -j 0 -i $(VENV)/packages >/dev/null 2>&1 || true
	@touch $@

# Compiled as it is imported: tests import a small part of it, and compiling all takes most of pip's time.
$(VENV)/dev: requirements/dev.lock $(VENV)/web
	@echo "Installing what the tests need"
	@$(PIP) --no-compile -r requirements/dev.lock
	@cp requirements/dev.lock $@

install: $(VENV)/compiled
	@sh .ci/system-packages.sh bubblewrap g++

run: install
	@exec $(BIN)/python manage.py up

worker: install
	@exec $(BIN)/python manage.py worker

test: test-packages $(VENV)/dev $(VENV)/compiled
	@exec sh .ci/test.sh $(TESTS)

# The shell is Chromium without windows: with it, the tests in the browser take a quarter less.
test-packages:
	@sh .ci/system-packages.sh bubblewrap g++ chromium
	@sh .ci/system-packages.sh --optional chromium-headless-shell

# The documentation as a site of its own, with a search, in build/docs: open its index.html.
docs: $(VENV)/dev
	@$(BIN)/sphinx-build -W --keep-going -q -b html -d build/doctrees docs build/docs
	@echo "The documentation is in build/docs/index.html"

# The same with pictures of the pages, which the browser tests take: `<!-- picture: STATE -->` in docs/ names each.
docs-pictures: $(VENV)/dev
	@sh .ci/system-packages.sh chromium
	@grep -rhoE '^<!-- picture: .+ -->$$' docs --include=*.md \
		| sed 's#<!-- picture: \(.*\) -->#tests/browser/states/test_every_page.py::test_a_page_in_each_state[\1]#' \
		| CONCUR_STATE_PICTURES=docs/pictures xargs -d '\n' $(BIN)/python -m pytest -q -n 0
	@$(MAKE) --no-print-directory docs

# A wheel and a source distribution, in dist/.
wheel: $(VENV)/dev
	@$(BIN)/python -m build --no-isolation --outdir dist .

bench: $(VENV)/dev $(VENV)/compiled
	@exec $(BIN)/python -m benchmarks

# All tests, including the compiled test kernels, and all of the database on PostgreSQL: takes about twice as long.
test-all: test-packages $(VENV)/dev $(VENV)/compiled
	@$(BIN)/python -m pytest -n 4 --dist loadgroup --ignore tests/browser/states
	@$(BIN)/python -m tests.on_postgres --everywhere -n 3 --dist loadgroup -m "not browser and not engine"
	@$(BIN)/python -m pytest -n 3 --dist loadgroup tests/browser/states

# Save every page in every state, at 1440 and 390 px, light and dark, as PNGs: make pictures DIR=/somewhere
pictures: $(VENV)/dev
	@sh .ci/system-packages.sh chromium
	@CONCUR_STATE_PICTURES=$(or $(DIR),$(shell mktemp -d -t concur-pictures-XXXXXX)) sh -c \
		'$(BIN)/python -m pytest -m "browser and not long" tests/browser/states; echo "The pictures are in $$CONCUR_STATE_PICTURES"'

# Pin from the lower bounds in pyproject.toml. torch is pinned by hand: its build differs between machines.
lock: $(VENV)/dev
	@$(PIP) uv
	@$(BIN)/uv pip compile -q pyproject.toml --universal --python-version 3.11 --upgrade --no-header --no-annotate -o requirements/web.lock
	@$(BIN)/uv pip compile -q pyproject.toml --universal --python-version 3.11 --extra dev -c requirements/web.lock -c requirements/verify.lock --no-header --no-annotate -o requirements/dev.lock
	@sed -i "1i # Resolved on $$(date +%F); tests/site/test_dependencies.py asks for a newer resolution after half a year." requirements/web.lock requirements/dev.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
