# Each target does its own set-up: a virtual environment in .venv with the pinned packages, and the
# Rust core built in release mode into python/kibitz. The second run is quick: only what changed is
# built again, and edits of Python files count at once.

VENV := .venv
BIN := $(VENV)/bin
CORE := python/kibitz/_core.abi3.so
RUST := $(shell find crates -name '*.rs' -o -name '*.net' -o -name Cargo.toml) Cargo.toml Cargo.lock
READY := $(CORE) $(BIN)/kibitz
NEEDED_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

# Without these, PyO3 would ask whichever Python comes first, and look for a shared libpython.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PYO3_BUILD_EXTENSION_MODULE := 1
export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.PHONY: help demo test test-rust test-python check check-rust check-python bench docs build toolchain lock clean

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(READY) ## a short tour: games, planners, a match
	@$(BIN)/kibitz demo

test: test-rust test-python ## all tests, Rust and Python; FAST=1: without the slow ones

# Rust needs no more of Python than its interpreter: with --jobs 2 it is checked and tested while the core is built.
test-rust: $(BIN)/python
	cargo test --workspace --quiet

test-python: $(READY) $(VENV)/.bench $(VENV)/.cluster $(VENV)/.web $(VENV)/.gym
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadgroup $(if $(FAST),-m "not slow")

check: check-rust check-python ## formatting, lints and types

check-rust: $(BIN)/python
	cargo metadata --locked --format-version 1 > /dev/null
	cargo fmt --all --check
	# Games are found in their folder, where cargo fmt does not look.
	find crates/kibitz-games/src/games -name '*.rs' | xargs rustfmt --edition 2024 --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

check-python: $(READY) $(VENV)/.web $(VENV)/.gym
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy python/kibitz $(wildcard examples/*.py)
	$(BIN)/python -m mypy.stubtest --concise kibitz._core

bench: $(READY) $(VENV)/.bench ## speed and strength beside the peers'
	@$(BIN)/kibitz bench

docs: $(READY) $(VENV)/.docs ## the pages and the reference, as HTML in target/docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html -c docs . target/docs
	@echo "the pages are in target/docs/docs/contents.html"

build: $(READY) ## only set up and build

lock: ## pin the newest packages (needs uv)
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra dev pyproject.toml --output-file requirements.lock
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra bench --constraint requirements.lock pyproject.toml --output-file requirements-bench.lock
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra cluster --constraint requirements.lock --constraint requirements-bench.lock \
		pyproject.toml --output-file requirements-cluster.lock
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra web --constraint requirements.lock --constraint requirements-bench.lock \
		--constraint requirements-cluster.lock pyproject.toml --output-file requirements-web.lock
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra gym --constraint requirements.lock --constraint requirements-bench.lock \
		--constraint requirements-cluster.lock --constraint requirements-web.lock pyproject.toml \
		--output-file requirements-gym.lock
	uv pip compile --quiet --universal --no-header --no-annotate --python-version 3.11 --upgrade \
		--extra docs --constraint requirements.lock --constraint requirements-bench.lock \
		--constraint requirements-cluster.lock --constraint requirements-web.lock \
		--constraint requirements-gym.lock pyproject.toml --output-file requirements-docs.lock

clean: ## remove what was built
	rm -rf $(VENV) $(CORE) target

toolchain:
	@command -v cargo > /dev/null || { \
		echo "kibitz needs Rust $(NEEDED_RUST) or newer, but there is no cargo on the path." >&2; exit 1; }
	@rustc --version | awk -v need=$(NEEDED_RUST) '{ split($$2, have, "."); split(need, want, "."); \
		if (have[1] < want[1] || have[1] == want[1] && have[2] + 0 < want[2] + 0) { \
			print "kibitz needs Rust " need " or newer, but this is " $$2 "; rustup update gets it." > "/dev/stderr"; \
			exit 1 } }'

$(BIN)/python: | toolchain
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then \
			exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "kibitz needs Python 3.11 or newer with its venv module, and found none (PYTHON=... names one)." >&2; \
	exit 1

$(VENV)/.packages: requirements.lock | $(BIN)/python
	$(PIP) -r requirements.lock
	@touch $@

# One pip at a time. The peers are optional: the tests that need them are skipped, and say so, where they are missing.
$(VENV)/.bench: requirements-bench.lock $(VENV)/.packages | $(BIN)/kibitz
	@$(PIP) --only-binary :all: -r requirements-bench.lock \
		|| echo "open_spiel or pomdp-py cannot be installed here: what compares with them is left out." >&2
	@touch $@

# So is Ray: where it cannot be installed, experiments run on one machine.
$(VENV)/.cluster: requirements-cluster.lock $(VENV)/.packages | $(VENV)/.bench
	@$(PIP) --only-binary :all: -r requirements-cluster.lock \
		|| echo "ray cannot be installed here: the tests of clusters are left out." >&2
	@touch $@

# And so is what speaks HTTP: without it, there are no players on the network.
$(VENV)/.web: requirements-web.lock $(VENV)/.packages
	@$(PIP) --only-binary :all: -r requirements-web.lock \
		|| echo "starlette, uvicorn or httpx cannot be installed here: the tests of the network are left out." >&2
	@touch $@

# And so are environments for reinforcement learning.
$(VENV)/.gym: requirements-gym.lock $(VENV)/.packages
	@$(PIP) --only-binary :all: -r requirements-gym.lock \
		|| echo "gymnasium or pettingzoo cannot be installed here: the tests of environments are left out." >&2
	@touch $@

# Documentation is made where somebody asks for it, and nowhere else.
$(VENV)/.docs: requirements-docs.lock $(VENV)/.packages $(VENV)/.gym
	$(PIP) --only-binary :all: -r requirements-docs.lock
	@touch $@

$(CORE): $(VENV)/.packages $(RUST) pyproject.toml | toolchain
	env -u CONDA_PREFIX VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --skip-install
	@touch $@

# Once: the package as an editable one, with its command.
$(BIN)/kibitz: pyproject.toml $(VENV)/.packages | $(CORE)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@
