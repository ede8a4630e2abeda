# Everything runs in a virtual environment of its own; `make demo` and `make test` set it up themselves.
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
OLDEST := .venv-oldest
# A worker takes tests from another when its own are done, so that modules mostly stay together.
PYTEST_FLAGS := -n auto --dist worksteal
# Many tests start Python anew, which is quicker when it may keep what it compiled.
export PYTHONDONTWRITEBYTECODE :=
ifneq ($(wildcard ../shared/data/adult.data),)
export MINIREL_DATA ?= $(abspath ../shared/data)
endif

# make reproduce QUICK=1 takes a minute, make reproduce an hour
QUICK ?=
REPRODUCE_FLAGS := $(if $(QUICK),--quick)

.PHONY: docs look release stamp demo test test-matrix test-oldest coverage reproduce fuzz interrupts lint bench clean

demo: $(VENV)/installed
	$(BIN)/minirel demo

# The checks of `make lint` are tests like any other, so they are part of it.
test: $(VENV)/installed-test
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

# All tests with the BLAS kernels, instructions and threads of other machines, one after another
test-matrix: $(VENV)/installed-test
	$(BIN)/python tests/run_matrix.py

# All tests with the lowest versions that pyproject.toml admits, in an environment of their own
test-oldest: $(OLDEST)/installed
	$(OLDEST)/bin/python -m pytest $(PYTEST_FLAGS)

# Which lines and branches of src/ the tests run; the command line in processes of its own does not count
coverage: $(VENV)/installed-coverage
	$(BIN)/python -m pytest $(PYTEST_FLAGS) --cov --cov-report=term --cov-report=html

reproduce: $(VENV)/installed-reproduce
	$(BIN)/python -m paper $(REPRODUCE_FLAGS)

# All tests with all their repetitions; MINIREL_FUZZ=2000 MINIREL_FUZZ_FITS=500 make fuzz is a shorter run
fuzz: export MINIREL_FUZZ ?= 50000
fuzz: export MINIREL_FUZZ_FITS ?= 5000
fuzz: $(VENV)/installed-test
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

interrupts: $(VENV)/installed-test
	MINIREL_INTERRUPTS=200 $(BIN)/python -m pytest -s tests/cli/test_interrupts.py

# ruff, mypy and import-linter
lint: $(VENV)/installed-test
	$(BIN)/python -m pytest tests/test_lint.py

bench: $(VENV)/installed-test
	# What it is compared with imports OR-Tools, so where nothing else sees it: see tests/solvers/test_highs.py.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
		--target $(VENV)/rivals k-means-constrained ortools six
	$(BIN)/python benchmarks/assignment.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/cluster.py
	$(BIN)/python benchmarks/units.py
	$(BIN)/python benchmarks/command_line.py
	$(BIN)/python benchmarks/frontier.py
	$(BIN)/python benchmarks/machines.py

# The site, in docs/_build/html: warnings are errors, every link is followed, nothing is fetched. With the data in MINIREL_DATA
# all examples are run, otherwise those that need none.
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html

# The built site in a real browser, if there is one: no error, nothing too wide, pictures in docs/_build/looks
look: $(VENV)/installed-test
	$(BIN)/python docs/look.py

# Everything of a release but the upload: see CONTRIBUTING.md
release: $(VENV)/installed-release
	$(BIN)/python tools/release.py

# make stamp VERSION=0.1.0 writes the version and the date into __init__.py and CHANGELOG.md
stamp: $(VENV)/installed
	$(BIN)/python tools/release.py --stamp '$(VERSION)'

clean:
	rm -rf $(VENV) $(OLDEST) docs/_build docs/gallery docs/api

# The stamps are newer than pyproject.toml once installed, so a second run needs no network.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cli]'
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	# Only for the tests that minirel can live beside it, so where nothing else sees it.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
		--target $(VENV)/beside ortools
	touch $@

$(OLDEST)/installed: pyproject.toml tests/lowest.py
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python tests/lowest.py > $(OLDEST)/lowest.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
		--constraint $(OLDEST)/lowest.txt --editable '.[test]'
	touch $@

$(VENV)/installed-reproduce: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[reproduce]'
	touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

$(VENV)/installed-release: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	touch $@

$(VENV)/installed-coverage: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[coverage]'
	touch $@
