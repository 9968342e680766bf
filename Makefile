# Two commands do everything: `make site` and `make test`. Both set up .venv from the hash-locked requirements first.
# Nothing else is needed than Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Material for MkDocs prints a notice about MkDocs 2 on every call; this project stays below 2 on purpose.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help site serve versions pages publish test check clients falsify lint lock bench clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

site: $(STAMP)  ## set up, run the checks, build the site, say where to open it
	$(BIN)/cdna check
	$(BIN)/cdna site build

serve: site  ## the same, then serve it on this machine
	$(BIN)/cdna site serve

versions: $(STAMP)  ## run the checks, build this version, put it on the local branch gh-pages; pushes nothing
	$(BIN)/cdna check
	$(BIN)/cdna site deploy

pages: $(STAMP)  ## write the branch of versions to build/pages, as a host serves it, and check every link in it
	$(BIN)/cdna site pages build/pages
	$(BIN)/cdna links build/pages

publish:  ## push the branch of versions; the workflow does this, after `make versions` and `make pages`
	git push origin gh-pages

# A machine under load may miss a time limit: what failed is tried once more, alone, and both outcomes are printed.
test: $(STAMP)  ## set up, then everything that CI runs: lint, checks, falsification, tests
	$(BIN)/ruff check --quiet .
	$(BIN)/cdna check --falsify --fresh
	$(BIN)/python -m pytest -n auto --dist loadfile || { test $$? -eq 1 && $(BIN)/python -m pytest --last-failed; }

check: test  ## another name of `make test`

clients: $(VENV)/.clients  ## install Triton and MLIR (about 1.3 GB) and run the checks that ask them
	$(BIN)/cdna check --kind client

falsify: $(STAMP)  ## change every published value and see that a check goes red
	$(BIN)/cdna check --falsify

bench: $(STAMP)  ## measured ratios of one run; asserts nothing
	$(BIN)/python -m bench

# The only step that needs `uv`; the result holds hashes and no host names, and pip installs from it.
lock:  ## resolve the dependencies again
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	    --extra witnesses --extra site --extra test pyproject.toml build-requirements.in --output-file requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	    --extra clients --constraints requirements.lock pyproject.toml --output-file requirements-clients.lock

clean:  ## remove what was built, not the environment
	rm -rf build dist .pytest_cache

$(VENV)/.clients: $(STAMP) requirements-clients.lock
	@echo "Installing Triton and MLIR into $(VENV); this downloads about 360 MB."
	@$(PIP) install --require-hashes --requirement requirements-clients.lock
	@touch $@

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + ". Set PYTHON=...")'
	@echo "Setting up $(VENV); this takes about a minute the first time."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
