# On a fresh Debian 12 with git, make and a shell, `make demo` or `make check` does all that is needed.

# What `make demo` tunes, and how much it tries for each of the module's tasks.
DEMO = examples/torch_mlp3_gelu_f32.mlir
TRIALS = 64

.PHONY: help demo check check-all check-more build dependencies build-asan build-fuzz test test-more test-asan \
  fuzz coverage nightly clean

help:
	@echo "make demo          install what is missing, build, tune $(DEMO), show the result"
	@echo "make check         install what is missing, build, run the tests of the CPU and of searches"
	@echo "make check-all     that, and what continuous integration adds: the tests of Vulkan, of CUDA's stand-in"
	@echo "                   and of calls that fail; all of them with sanitizers; the fuzz targets for up to a"
	@echo "                   minute each; the lines of support/ and tuning/ that tests run are counted"
	@echo "make nightly       what takes long: ThreadSanitizer, valgrind, long fuzzing, 10^6 records"
	@echo "make build         build only: tools in build/bin/, plugin in build/lib/"
	@echo "make dependencies  install with apt what is missing; needs root or sudo if anything is"
	@echo "make test          build, and run the tests of make check"
	@echo "make check-more    what make check-all has after make check"
	@echo "make fuzz          build the fuzz targets, and run each for 5 or 60 s; scripts/fuzz 1800: longer"
	@echo "make coverage      build support/ and tuning/ apart, and count the lines that their tests run"
	@echo "make clean         remove build/ and the other builds, build-*/"

dependencies:
	@echo "== Installing what is missing to build and run mlir-tune"
	@scripts/install-dependencies

# `build` alone does not install, and says what to do where something is missing. The order in
# `demo` and the checks is kept by calling make for each step, also under `make -j`.
build:
	@echo "== Building into build/"
	@command -v cmake >/dev/null && command -v ninja >/dev/null || \
	  { echo "cmake or ninja is not here: run make dependencies first" >&2; exit 1; }
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release

# ctest's labels are the tiers: cmake/TuneTests.cmake.
test: build
	@echo "== Running the tests of make check in build/"
	@ctest --test-dir build --output-on-failure --parallel "$$(nproc)" -L '^check$$'

test-more: build
	@echo "== Running the tests that make check-all adds in build/"
	@ctest --test-dir build --output-on-failure --parallel "$$(nproc)" -L '^check-all$$'

build-asan:
	@echo "== Building with AddressSanitizer and UndefinedBehaviorSanitizer into build-asan/"
	@test -f build-asan/build.ninja || cmake --preset asan
	@cmake --build --preset asan

test-asan: build-asan
	@echo "== Running all tests of build-asan/"
	@ctest --test-dir build-asan --output-on-failure --parallel "$$(nproc)"

build-fuzz:
	@echo "== Building the fuzz targets into build-fuzz/"
	@test -f build-fuzz/build.ninja || cmake --preset fuzz
	@cmake --build --preset fuzz

fuzz: build-fuzz
	@echo "== Running the fuzz targets of build-fuzz/"
	@scripts/fuzz

coverage:
	@echo "== Counting the lines of support/ and tuning/ that their unit tests run, in build-coverage/"
	@scripts/coverage

nightly:
	@scripts/install-dependencies --nightly
	@scripts/nightly

check:
	@$(MAKE) --no-print-directory dependencies
	@$(MAKE) --no-print-directory test
	@echo "== All tests of make check passed; make check-all has more"

check-more:
	@$(MAKE) --no-print-directory test-more
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory coverage
	@echo "== All tests passed, in the release build and under the sanitizers, nothing was found by fuzzing,"
	@echo "   and tests run enough of the lines"

check-all:
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory check-more

demo:
	@$(MAKE) --no-print-directory dependencies
	@$(MAKE) --no-print-directory build
	@scripts/demo $(DEMO) $(TRIALS)

clean:
	rm -rf build build-asan build-coverage build-fuzz build-tsan
