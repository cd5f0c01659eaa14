# The tasks of this project. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHROMIUM := $(firstword $(wildcard /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome))
# Builds count time from the last commit, so that one commit gives the same bytes on every day.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1767225600)
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help site serve test validate docs docs-check vectors changes fmt harvest-live downloads bench-peers clean constraints zensical chromium

help: ## list the tasks
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 16

$(VENV)/.ready: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation -c constraints.txt -e '.[site,test]'
	@touch $@

site: $(VENV)/.ready ## validate the catalog and build the site into site/
	$(BIN)/infercompat validate
	$(BIN)/infercompat build --site

serve: site ## build the site and serve it on http://127.0.0.1:8000
	cd site && ../$(BIN)/python -m http.server --bind 127.0.0.1 8000

test: $(VENV)/.ready chromium ## run the tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

validate: $(VENV)/.ready ## check every record of the catalog
	@$(BIN)/infercompat validate

docs: $(VENV)/.ready ## write docs/13-model-compatibility.md
	$(BIN)/infercompat build --docs-only

docs-check: $(VENV)/.ready ## fail if docs/13-model-compatibility.md is stale
	$(BIN)/infercompat build --check

vectors: $(VENV)/.ready ## ask the vectors anew: the change shows which answers move
	$(BIN)/python tests/vectors/make.py

changes: $(VENV)/.ready ## keep the answers that changed since the last recorded commit, for the page and the feeds
	$(BIN)/infercompat diff --record

fmt: $(VENV)/.ready ## format and lint the code
	$(BIN)/ruff check --fix --quiet build tests bench
	$(BIN)/ruff format --quiet build tests bench

harvest-live: $(VENV)/.ready ## read the real packages of upstream again and compare them with the catalog (needs the network)
	$(BIN)/infercompat releases || true
	$(BIN)/infercompat harvest --verify
	$(BIN)/infercompat harvest --all --check --reachable

downloads: $(VENV)/.ready ## put the download counts of LIST (llmfit's hf_models.json, or its program) into the models, as CITATION says
	$(BIN)/python -m infercompat.harvest.downloads "$(LIST)" "$(CITATION)"

bench-peers: $(VENV)/.ready ## ask other calculators the same questions (needs 7 GB for a while)
	$(BIN)/python bench/peers/run.py
	$(BIN)/python bench/peers/run.py --check

zensical: ## build the site with Zensical too, which is to follow mkdocs-material (a release check)
	test -x .zensical-venv/bin/zensical || { $(PYTHON) -m venv .zensical-venv && .zensical-venv/bin/pip install --quiet zensical; }
	.zensical-venv/bin/zensical build --clean

constraints: ## resolve constraints.txt anew (use Debian's own Python)
	rm -rf .constraints-venv && $(PYTHON) -m venv .constraints-venv
	.constraints-venv/bin/pip install --quiet hatchling editables 'pymdown-extensions<13' '.[site,test]'
	{ head -1 constraints.txt; .constraints-venv/bin/pip freeze --exclude infercompat; } > constraints.new && mv constraints.new constraints.txt
	rm -rf .constraints-venv

# The browser test uses Debian's Chromium; without it and without the right to install it, that test is skipped and says so.
chromium:
ifeq ($(CHROMIUM),)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium could not be installed: the browser test will be skipped"; fi
endif

clean: ## remove what was generated (never build/, which is the source)
	rm -rf site .pytest_cache .ruff_cache .hypothesis dist $(VENV) .zensical-venv
	git clean -qfdX docs
