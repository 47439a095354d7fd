# Every target makes the virtual environment it needs under .venv/: Python 3.11+ (its venv and pip) and make are enough.
#   make demo PYTHON=python3.13
PYTHON ?= python3
VENV := .venv
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
# variables, because a comma inside $(call ...) separates arguments
EXTRAS := disk,redis,learn,report,test
SYSTEM_EXTRAS := $(EXTRAS),system
DOCS_EXTRAS := disk,redis,learn,report,docs
BENCH_EXTRAS := disk,bench
PYTEST_ARGS ?=
PEERS_ARGS ?=
# files side by side, each file in one process: its servers are shared by its tests
PARALLEL := -n auto --dist loadfile

NEWEST := $(VENV)/newest
FLOOR := $(VENV)/floor
DEMO := $(VENV)/demo
SYSTEM := $(VENV)/system
DOCS := $(VENV)/docs
BENCH := $(VENV)/bench
CONFORMANCE := $(VENV)/conformance
PEERS := $(VENV)/peers

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint format test-newest test-floor test-system conformance peers bench docs clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-14s %s\n", $$1, $$2 }'

demo: $(DEMO)/.stamp  ## crawl the example site with Scrapy alone, with the add-on, and with rules
	$(DEMO)/bin/python example_project/demo.py

test: lint test-newest test-floor  ## lint, then the tests against the newest and the oldest supported Scrapy

lint: $(NEWEST)/.stamp  ## ruff, mypy, import-linter
	$(NEWEST)/bin/ruff check .
	$(NEWEST)/bin/ruff format --check .
	$(NEWEST)/bin/mypy
	$(NEWEST)/bin/lint-imports --no-cache

format: $(NEWEST)/.stamp  ## apply ruff's fixes and formatting
	$(NEWEST)/bin/ruff check --fix .
	$(NEWEST)/bin/ruff format .

test-newest: $(NEWEST)/.stamp  ## the tests against the newest Scrapy, with coverage
	$(NEWEST)/bin/python -m pytest $(PARALLEL) --cov --cov-report=term $(PYTEST_ARGS)

test-floor: $(FLOOR)/.stamp  ## the tests against Scrapy 2.13 and the lowest supported libraries, without the C module
	URINORM_PURE=1 $(FLOOR)/bin/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

test-system: $(SYSTEM)/.stamp  ## the tests that need a browser or Java (see .ci/run for what to install)
	$(SYSTEM)/bin/python -m pytest --system $(PYTEST_ARGS)

conformance: $(CONFORMANCE)/.stamp  ## Scrapy's own tests, run through our components
	$(CONFORMANCE)/bin/python tests/conformance/run.py

peers: $(PEERS)/.stamp  ## the tests of other URL packages: what they normalize, compared with ours
	$(PEERS)/bin/python -m tests.conformance.peers $(PEERS_ARGS)

bench: $(BENCH)/.stamp  ## speed and memory beside Scrapy and other packages, as ratios; writes docs/performance.md
	$(BENCH)/bin/python -m benchmarks

docs: $(DOCS)/.stamp  ## the documentation, in docs/_build/html
	$(DOCS)/bin/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

clean:  ## remove environments, caches and build results
	rm -rf $(VENV) .cache scrapy_urinorm/*.so .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist docs/_build

# A stamp is as new as the environment; an edit of pyproject.toml makes the next run install again.
define environment
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scrapy-urinorm needs Python 3.11 or newer, this is %s: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" % sys.version.split()[0])'
	@echo "environment $(@D)"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP_INSTALL) $(1)
	@touch $@
endef

$(DEMO)/.stamp: pyproject.toml
	$(call environment,-e .)

$(NEWEST)/.stamp: pyproject.toml
	$(call environment,--upgrade -e '.[$(EXTRAS)]')

$(FLOOR)/.stamp: pyproject.toml .ci/floor.txt
	$(call environment,-e '.[$(EXTRAS)]' --constraint .ci/floor.txt)

$(SYSTEM)/.stamp: pyproject.toml
	$(call environment,-e '.[$(SYSTEM_EXTRAS)]')

$(DOCS)/.stamp: pyproject.toml
	$(call environment,-e '.[$(DOCS_EXTRAS)]')

$(BENCH)/.stamp: pyproject.toml
	$(call environment,--upgrade -e '.[$(BENCH_EXTRAS)]')

$(CONFORMANCE)/.stamp: pyproject.toml tests/conformance/requirements.txt
	$(call environment,--upgrade . -r tests/conformance/requirements.txt)
	@# its dependencies stay; run.py adds the package to the runs that are to have it, the baseline is Scrapy alone
	@$(@D)/bin/python -m pip uninstall --quiet --yes scrapy-urinorm

$(PEERS)/.stamp: pyproject.toml tests/conformance/peers.txt
	$(call environment,--upgrade -e . -r tests/conformance/peers.txt)
