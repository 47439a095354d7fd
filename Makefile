# Every target makes the virtual environment it needs under .venv/: Python 3.11+ (its venv and pip) and make are enough.
#   make demo PYTHON=python3.13
PYTHON ?= python3
VENV := .venv
# rocksdict has no wheels for Python 3.15: what needs it is not tested there
DISK := $(shell $(PYTHON) -c 'import sys; sys.version_info < (3, 15) and print("disk,")' 2>/dev/null)
# variables, because a comma inside $(call ...) separates arguments
EXTRAS := $(DISK)redis,learn,report,test
NEWEST_EXTRAS := $(EXTRAS),lint
COMMA := ,
BENCH_EXTRAS := $(DISK)learn,bench
PYTEST_ARGS ?=
# an environment is made again when one of these changes: an editable install has the C module as it was built
BUILT_FROM := pyproject.toml hatch_build.py $(wildcard scrapy_urinorm/*/*.c scrapy_urinorm/*/*.h)
PEERS_ARGS ?=
# files side by side, each file in one process: its servers are shared by its tests
PARALLEL := -n auto --dist loadfile
# slow crawls wait for each other's processes a good part of their time
WAITING := -n $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) --dist loadfile
# what fails among these is run once more, alone, as by `python -m test --rerun` of CPython: each is several processes, and
# more of them than there are cores run at once. What fails twice fails; what does not is named as well
define twice
	@$(1) -o cache_dir=.pytest_cache/$@ || { [ $$? -eq 1 ] && echo "=== what failed above, once more and alone ===" && \
		$(1) -o cache_dir=.pytest_cache/$@ -n 0 --last-failed --last-failed-no-failures none; }
endef
# `make test` runs two halves side by side instead, what crawls and all others: the workers of xdist collect all tests each,
# and tell of each test, which takes longer than most of the tests; and what each process imports first takes two seconds,
# as does the process that its crawls are forked from
CRAWLING := crawl visits live cli report/test_extension.py
CRAWLS := $(patsubst %,tests/%/%,$(filter-out %.py,$(CRAWLING)))
# what `make test` runs against the oldest supported Scrapy; `make test-all` runs the rest there
DEAR := full_disk other_fingerprinters raises_nothing random_sites reactorless redirects second_chance taken_errors
TOUCHES_SCRAPY := $(filter-out $(DEAR:%=tests/crawl/test_%.py),$(wildcard tests/crawl/test_*.py)) tests/live/test_crawl.py tests/visits/test_extension.py tests/seen/test_requests_seen.py tests/report/test_extension.py
# simulated crawls, what is learned of sites made by lot, of the example's or of ones as large as many, and pages as large:
# the same with any Scrapy and any libraries. `make test-all` runs them; that their rooms work is shown in `make test` by
# others, learn/test_learning.py and live/test_simulated.py among them. UNMEASURED are those that take three times the time
# when coverage is measured and reach hardly a line more
UNMEASURED := content/test_telling.py core/test_giants.py report/test_page.py visits/test_data.py visits/test_features.py \
	$(addprefix learn/test_,$(addsuffix .py,again capped evaluation laws next_season random_sites ruled sessions unseen wrapped)) \
	$(addprefix live/test_,$(addsuffix .py,canaries dated drawn few_words gates joined kin lists many_lists programs sessions slashes statuses waves work))
SIMULATED := $(UNMEASURED) $(addprefix learn/test_,$(addsuffix .py,asked calendars hidden_ways locked numbered one_today own_text)) \
	$(addprefix live/test_,$(addsuffix .py,acting echoes ids outages))
# what `make test` leaves to `make test-all` besides, test by test; where coverage is measured the thorough ones run, too
QUICK := not slow and not soak and not system and not thorough
ignoring = $(addprefix --ignore tests/,$(1))
ELSEWHERE := $(filter-out $(TOUCHES_SCRAPY) $(addprefix tests/,$(SIMULATED)),$(wildcard tests/test_*.py tests/*/test_*.py))
# what surrounds the package is the same there, too; the demo and the tutorial are crawls of a user's project, and those have
# tests of their own there; their rows that are not slow run against the oldest all the same. How long live rules take to end a
# site, and how the page reader takes pages that are made to break it, no Scrapy decides: live/test_crawl.py and its neighbours
# crawl with the oldest
AROUND := $(addprefix tests/,$(addprefix live/test_,endless.py reopened.py simulated.py) crawl/test_hostile_crawl.py \
	example/test_demo.py example/test_rules.py speed/test_sanitizers.py test_benchmarks.py test_coverage_files.py test_docs.py \
	test_packaging.py test_readme.py $(SIMULATED))
# measured where the tests of `make test` run once as a part of `make test-all`, since they take twice the time with it
COVERAGE = $(if $(filter test-all,$(MAKECMDGOALS)),--cov --cov-report=term)

# the longest first
PARTS = $(if $(COVERAGE),test-newest test-simulated,test-newest-crawling test-newest-others) test-floor lint

# each part of `make test` says what it has to say at its end
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# what `make test-platforms` crawls
PLATFORMS := caddy cgit libnginx-mod-http-fancyindex lighttpd mediawiki mercurial nginx php-cli php-sqlite3 puma redmine redmine-sqlite

NEWEST := $(VENV)/newest
FLOOR := $(VENV)/floor
DEMO := $(VENV)/demo
BENCH := $(VENV)/bench
CONFORMANCE := $(VENV)/conformance
PEERS := $(VENV)/peers
# makes an environment in seconds; where it cannot be had or finds nothing, pip does the same in a minute
UV := $(VENV)/uv/bin/uv

# the tests start hundreds of processes, each of which would compile everything anew
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-newest test-simulated test-newest-crawling test-newest-others test-floor test-all test-rest-newest test-rest-floor test-rest-floor-crawling test-rest-floor-others test-soak test-system test-platforms lint format conformance peers bench docs clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-14s %s\n", $$1, $$2 }'

demo: $(DEMO)/.stamp  ## crawl the example site with Scrapy alone, with the add-on, with live rules, and with rules
	$(DEMO)/bin/python example_project/demo.py

# side by side, since crawls wait for each other's processes
test:  ## in minutes: lint, the tests against the newest Scrapy, what touches Scrapy against the oldest
	@$(MAKE) --no-print-directory -j4 $(TOGETHER) $(PARTS) COVERAGE="$(COVERAGE)"

test-newest: $(NEWEST)/.stamp
	$(NEWEST)/bin/python -m pytest $(PARALLEL) $(COVERAGE) $(if $(COVERAGE),$(call ignoring,$(UNMEASURED))) $(PYTEST_ARGS)

test-simulated: $(NEWEST)/.stamp  ## simulated crawls, after a change of what is learned or of live rules
	$(NEWEST)/bin/python -m pytest $(addprefix tests/,$(if $(COVERAGE),$(UNMEASURED),$(SIMULATED))) $(PYTEST_ARGS)
	$(if $(COVERAGE),,$(NEWEST)/bin/python -m pytest -m thorough tests/content tests/learn tests/live $(PYTEST_ARGS))

test-newest-crawling: $(NEWEST)/.stamp
	$(NEWEST)/bin/python -m pytest -m "$(QUICK)" $(addprefix tests/,$(CRAWLING)) $(call ignoring,$(SIMULATED)) $(PYTEST_ARGS)

test-newest-others: $(NEWEST)/.stamp
	$(NEWEST)/bin/python -m pytest -m "$(QUICK)" $(call ignoring,$(CRAWLING)) $(call ignoring,$(SIMULATED)) $(PYTEST_ARGS)

test-floor: $(FLOOR)/.stamp
	URINORM_PURE=1 $(FLOOR)/bin/python -m pytest -m "$(QUICK) and not newest" $(TOUCHES_SCRAPY) $(PYTEST_ARGS)

test-all: test test-rest-newest test-rest-floor docs  ## that with the gate of coverage, the slow tests and long searches, the rest against the oldest; the documentation

test-rest-newest: $(NEWEST)/.stamp
	$(call twice,$(NEWEST)/bin/python -m pytest $(WAITING) -m "(slow or hypothesis) and not soak and not system" --hypothesis-profile long --timeout 900 $(PYTEST_ARGS))

test-rest-floor: $(FLOOR)/.stamp
	@$(MAKE) --no-print-directory -j2 $(TOGETHER) test-rest-floor-crawling test-rest-floor-others
	$(call twice,URINORM_PURE=1 $(FLOOR)/bin/python -m pytest $(WAITING) -m "(slow or newest or thorough) and not soak and not system" --timeout 900 $(addprefix --ignore ,$(AROUND)) $(PYTEST_ARGS))

test-rest-floor-crawling: $(FLOOR)/.stamp
	URINORM_PURE=1 $(FLOOR)/bin/python -m pytest -m "$(QUICK)" $(filter $(CRAWLS),$(ELSEWHERE)) $(PYTEST_ARGS)

test-rest-floor-others: $(FLOOR)/.stamp
	URINORM_PURE=1 $(FLOOR)/bin/python -m pytest -m "$(QUICK)" $(filter-out $(CRAWLS),$(ELSEWHERE)) $(PYTEST_ARGS)

test-soak: $(NEWEST)/.stamp  ## for hours: hundreds of kills, generated sites, the longest searches
	$(NEWEST)/bin/python -m pytest $(PARALLEL) -m soak --hypothesis-profile hours --timeout 0 $(PYTEST_ARGS)

test-system: $(NEWEST)/.system  ## the tests that need a browser or Java (see .ci/run for what to install)
	$(NEWEST)/bin/python -m pytest -m system --ignore tests/platforms --timeout 900 $(PYTEST_ARGS)

test-platforms: $(NEWEST)/.system $(VENV)/platforms/.stamp  ## crawls of programs that apt-get installs first, as root: the packs of platforms
	@# the tests start an instance of their own, with a database of its own
	echo 'redmine redmine/instances/default/dbconfig-install boolean false' | debconf-set-selections
	RUBYOPT=-r$(CURDIR)/tests/platforms/redmine_gems.rb DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends $(PLATFORMS)
	$(NEWEST)/bin/python -m pytest -m system tests/platforms --timeout 900 $(PYTEST_ARGS)

lint: $(NEWEST)/.stamp  ## ruff, mypy, import-linter
	$(NEWEST)/bin/ruff check .
	$(NEWEST)/bin/ruff format --check .
	$(NEWEST)/bin/mypy
	$(NEWEST)/bin/lint-imports --no-cache

format: $(NEWEST)/.stamp  ## apply ruff's fixes and formatting
	$(NEWEST)/bin/ruff check --fix .
	$(NEWEST)/bin/ruff format .

conformance: $(CONFORMANCE)/.stamp  ## Scrapy's own tests, run through our components
	$(CONFORMANCE)/bin/python tests/conformance/run.py

peers: $(PEERS)/.stamp  ## the tests of other URL packages: what they normalize, compared with ours
	$(PEERS)/bin/python -m tests.conformance.peers $(PEERS_ARGS)

bench: $(BENCH)/.stamp  ## speed and memory beside Scrapy and other packages, as ratios; writes docs/performance.md
	$(BENCH)/bin/python -m benchmarks

docs: $(NEWEST)/.docs  ## the documentation, in docs/_build/html
	$(NEWEST)/bin/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

clean:  ## remove environments, caches and build results
	rm -rf $(VENV) .cache scrapy_urinorm/engine/_native*.so* scrapy_urinorm/engine/_native*.pyd* .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist docs/_build

# A stamp is as new as the environment; an edit of pyproject.toml or of a file in C makes the next run install again.
define install
	@echo "environment $(@D)"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv --without-pip $(@D)
	@{ test -x $(UV) && $(UV) pip install --quiet --python $(@D)/bin/python $(1); } || { \
		{ $(@D)/bin/python -m pip --version >/dev/null 2>&1 || $(@D)/bin/python -m ensurepip --default-pip >/dev/null; } && \
		$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(1); }
	@touch $@
endef

$(VENV)/uv/.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scrapy-urinorm needs Python 3.11 or newer, this is %s: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" % sys.version.split()[0])'
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --disable-pip-version-check uv || echo "no uv to be had: pip makes the environments"
	@touch $@

$(DEMO)/.stamp: $(BUILT_FROM) $(VENV)/uv/.stamp
	$(call install,-e '.[learn]')

$(NEWEST)/.stamp: $(BUILT_FROM) $(VENV)/uv/.stamp
	$(call install,--upgrade -e '.[$(NEWEST_EXTRAS)]')

$(NEWEST)/.system: $(NEWEST)/.stamp
	$(call install,-e '.[$(NEWEST_EXTRAS)$(COMMA)system]')

$(NEWEST)/.docs: $(NEWEST)/.stamp
	$(call install,-e '.[$(NEWEST_EXTRAS)$(COMMA)docs]')

$(FLOOR)/.stamp: $(BUILT_FROM) .ci/floor.txt $(VENV)/uv/.stamp
	$(call install,-e '.[$(EXTRAS)]' --constraint .ci/floor.txt)

$(BENCH)/.stamp: $(BUILT_FROM) $(VENV)/uv/.stamp
	$(call install,--upgrade -e '.[$(BENCH_EXTRAS)]')

$(CONFORMANCE)/.stamp: $(BUILT_FROM) tests/conformance/requirements.txt $(VENV)/uv/.stamp
	$(call install,--upgrade pip . -r tests/conformance/requirements.txt)
	@# its dependencies stay; run.py adds the package to the runs that are to have it, the baseline is Scrapy alone
	@$(@D)/bin/python -m pip uninstall --quiet --yes scrapy-urinorm

$(VENV)/platforms/.stamp: tests/platforms/requirements.txt $(VENV)/uv/.stamp
	$(call install,-r tests/platforms/requirements.txt)

$(PEERS)/.stamp: $(BUILT_FROM) tests/conformance/peers.txt $(VENV)/uv/.stamp
	$(call install,--upgrade -e . -r tests/conformance/peers.txt)
