# nestwarp: what people type. The build itself is CMake's and ninja's, in build/.
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

# How long a fuzzer runs, in seconds.
SECONDS ?= 3600
# It is there for the front end, and takes less time than GCC; CMake by itself takes any.
CLANG = -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22

.PHONY: all build install setup quick test tidy demo bench check-sanitizers fuzz-front-end fuzz-plan fuzz-manifest fuzz-results fuzz-times clean help
all: build

help:
	@echo "make          installs what is missing (apt-get), builds build/nestwarp"
	@echo "make install  builds, and copies it to PREFIX (/usr/local); DESTDIR=DIR puts that below DIR"
	@echo "make quick    builds and runs a selection of the tests (tests/README.md)"
	@echo "make test     builds and runs all tests; the last line is 'N passed, N failed'"
	@echo "make tidy     runs clang-tidy over the sources"
	@echo "make demo     compiles examples/mm.c by nestwarp cc, runs it with and without the device"
	@echo "make bench    prints how long translation takes"
	@echo "make check-sanitizers   the tests with AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitizers/"
	@echo "make fuzz-front-end     libFuzzer on C sources, make fuzz-plan on plans, in build-fuzz/; SECONDS=3600"
	@echo "make fuzz-manifest      likewise on manifests of bundles; fuzz-results, fuzz-times: on what comes back of them"
	@echo "make clean    removes $(BUILD)/"

setup:
	@scripts/setup

build: setup
	@test -f $(BUILD)/build.ninja || cmake -G Ninja -B $(BUILD) -S . $(CLANG)
	@ninja -C $(BUILD) -j $(JOBS)

# Everything goes below PREFIX; the folder can be moved afterwards.
install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))" >/dev/null
	@echo "installed $(DESTDIR)$(abspath $(PREFIX))/bin/nestwarp"

# Unit tests run too, once `make test` has built them.
quick: build
	@test ! -f $(BUILD)/nestwarp_unit || ninja -C $(BUILD) -j $(JOBS) nestwarp_unit
	@NESTWARP_BUILD=$(BUILD) python3 tests/run_all.py --quick

test: build
	@ninja -C $(BUILD) -j $(JOBS) nestwarp_unit nestwarp_mutants nestwarp_fuzz
	@NESTWARP_BUILD=$(BUILD) python3 tests/run_all.py

# All but what sees Clang's headers.
tidy: setup
	@git ls-files 'src/*.cpp' ':!src/frontend/c/*' ':!src/frontend/cuda/parse_*' | xargs -P $(JOBS) -I{} clang-tidy-22 --quiet {} -- -std=gnu++20 -Isrc

demo: build
	@NESTWARP=$(BUILD)/nestwarp scripts/demo

bench: build
	@NESTWARP=$(BUILD)/nestwarp bench/translation_time.sh

# Leaks of ours are found; what Clang and GTest keep until the end is in tests/leaks.supp.
check-sanitizers: setup
	@test -f build-sanitizers/build.ninja || cmake -G Ninja -B build-sanitizers -S . -DNESTWARP_SANITIZE=ON $(CLANG)
	@ninja -C build-sanitizers -j $(JOBS) all nestwarp_unit
	@NESTWARP_BUILD=build-sanitizers python3 tests/run_sanitizers.py

fuzz-front-end: TARGET = front_end
fuzz-plan: TARGET = plan_json
fuzz-manifest: TARGET = manifest
fuzz-results: TARGET = results
fuzz-times: TARGET = times
fuzz-front-end fuzz-plan fuzz-manifest fuzz-results fuzz-times: setup
	@test -f build-fuzz/build.ninja || cmake -G Ninja -B build-fuzz -S . -DNESTWARP_LIBFUZZER=ON $(CLANG)
	@ninja -C build-fuzz -j $(JOBS) fuzz_$(TARGET)
	@python3 tests/libfuzzer/run.py $(TARGET) build-fuzz $(SECONDS)

clean:
	rm -rf $(BUILD)
