# GNU Make 4.0 or newer. `make` alone lists the targets.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --quiet install
COMPILE := $(VENV)/bin/uv pip compile --quiet --system-certs --universal --python-version 3.11 --group build \
  --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header pyproject.toml

GET_WEAVIATE := $(VENV)/bin/python -m deploy.weaviate_server get

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-model lint format bench venv services docs lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(RUN) ## install what is needed into .venv and show the whole job on the embedded default
	@$(VENV)/bin/slowwave demo $(ARGS)

test: $(DEV) ## run the tests, on a real Redis and a real Weaviate (without one they are skipped)
	@$(GET_WEAVIATE) >/dev/null || test "$$CI" != true
	@PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

test-model: $(DEV) ## run the tests that need a real small model (fetched on demand)
	@$(VENV)/bin/python -m tests.model get || test "$$CI" != true
	@$(VENV)/bin/python -m pytest -m model -o faulthandler_timeout=1800 $(ARGS)

lint: $(DEV) ## check style, format, types and generated pages
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m docs.generate --check

format: $(DEV) ## let ruff format the code and mend what it can
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix

bench: $(DEV) ## list the benches, or run one (ARGS=recall) or all of them (ARGS=all)
	@$(VENV)/bin/python -m bench $(ARGS)

venv: $(DEV) ## make .venv with everything for development

services: $(DEV) ## get a Weaviate server for the tests (a release, or built with Go)
	@$(GET_WEAVIATE)

docs: $(DEV) ## write the generated pages anew: settings table, CLI help, example.env
	$(VENV)/bin/python -m docs.generate

lock: $(DEV) ## resolve the dependencies anew (UPGRADE=--upgrade for newer versions)
	$(COMPILE) $(UPGRADE) --all-extras --output-file requirements.lock
	$(COMPILE) --extra worker --extra local --constraint requirements.lock --output-file deploy/requirements.lock

clean: ## remove .venv, caches and builds
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "slowwave: $(PYTHON) is not installed. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "slowwave: needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) -V)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "slowwave: $(PYTHON) cannot make a virtual environment. On Debian: apt-get install python3-venv" >&2; exit 1; }

$(RUN): deploy/requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "installing what slowwave runs on"
	@$(PIP) --require-hashes --requirement deploy/requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements.lock $(RUN)
	@echo "installing what the tests and checks need"
	@$(PIP) --require-hashes --requirement requirements.lock
	@touch $@
