# Everything runs from .venv, which any target makes first. Needs Python 3.11+, git and make.
PYTHON ?= python3
SCENARIO ?= swap-kubelet
YES ?=
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help demo test test-real lint bench lock clean

help: ## What can be done here
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

.venv/ready: requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "GPU Autopsy needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: .venv/ready ## Play an outage in the terminal (SCENARIO=swap-kubelet or replacement-loop, OPTION=id of another option, YES=1 asks nothing)
	$(BIN)/gpu-autopsy demo $(SCENARIO) $(if $(OPTION),--option $(OPTION)) $(if $(YES),--yes)

test: .venv/ready ## The fast tests
	$(BIN)/python -m pytest -m "not real" -n auto

test-real: .venv/ready ## The tests against real servers; what this machine lacks is skipped by name
	$(BIN)/python -m pytest -m real

lint: .venv/ready ## ruff, mypy strict, the floors of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/ready ## Speed and memory, as ratios in one run
	$(BIN)/python -m tests.bench

lock: ## Resolve the locked dependencies anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --extra demo --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## Remove what the other targets made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist
