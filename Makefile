# Dateline. `make help` lists what there is to do.
SHELL := bash
.SHELLFLAGS := -eo pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --progress-bar off -c constraints.txt
# One dot per package: pip says a line for each, and only its errors are worth reading.
DOTS := awk '/^(Collecting|Requirement)/ {printf "."; fflush()} /^Installing coll/ {printf " "} END {print ""}'

.DEFAULT_GOAL := help
.PHONY: help demo serve test check bench bench-evidence golden soak clean format diagram

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: pyproject.toml constraints.txt setup.py
	@command -v git > /dev/null || { echo "git is needed: apt-get install git" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3" >&2; exit 2; }
	@[ -x $(BIN)/python ] || { echo "making $(VENV) with $$($(PYTHON) --version)"; $(PYTHON) -m venv --clear $(VENV); } || \
	  { echo "no venv module: apt-get install python3-venv" >&2; exit 2; }
	@printf "installing Dateline and what it needs, about half a minute "
	@$(INSTALL) -e . | $(DOTS)
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@printf "installing what the tests and checks need "
	@$(INSTALL) -e '.[dev]' | $(DOTS)
	@touch $@

demo: $(VENV)/.installed ## Three days of two bilingual publications: researched, checked, published, verified
	@$(BIN)/dateline demo

serve: $(VENV)/.installed ## Read what was published, at http://127.0.0.1:8000
	@$(BIN)/dateline serve

test: $(VENV)/.installed-dev ## Every test
	@$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/.installed-dev ## Format, lint, types, import rules, generated pages current
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m tests.diagram --check

format: $(VENV)/.installed-dev ## Put every file into form
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

diagram: $(VENV)/.installed-dev ## Draw the state diagram and the transition table again
	@$(BIN)/python -m tests.diagram

bench: $(VENV)/.installed-dev ## Speed, as ratios within one run
	@$(BIN)/python -m tests.bench

bench-evidence: $(VENV)/.installed-dev ## Corrupt every edition in 96 ways, and see what is found
	@$(BIN)/python -m tests.bench.evidence

golden: $(VENV)/.installed-dev ## Write the golden site again; review it as a diff
	@$(BIN)/python -m tests.publisher.golden_refresh

soak: $(VENV)/.installed-dev ## The long, random, seeded tests
	@DATELINE_SOAK=1 $(BIN)/python -m pytest -m soak --timeout 3600

clean: ## Remove the virtual environment and caches; never the database or what was published
	@rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
