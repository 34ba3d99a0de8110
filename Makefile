# nestwarp: what people type. The build itself is CMake's and ninja's, in build/.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all build setup test demo bench clean help
all: build

help:
	@echo "make          installs what is missing (apt-get), builds build/nestwarp"
	@echo "make test     builds and runs all tests; the last line is 'N passed, N failed'"
	@echo "make demo     compiles examples/mm.c by nestwarp cc, runs it with and without the device"
	@echo "make bench    prints how long translation takes"
	@echo "make clean    removes $(BUILD)/"

setup:
	@scripts/setup

build: setup
	@test -f $(BUILD)/build.ninja || cmake -G Ninja -B $(BUILD) -S .
	@ninja -C $(BUILD) -j $(JOBS)

test: build
	@ninja -C $(BUILD) -j $(JOBS) nestwarp_unit
	@NESTWARP_BUILD=$(BUILD) python3 tests/run_all.py

demo: build
	@NESTWARP=$(BUILD)/nestwarp scripts/demo

bench: build
	@NESTWARP=$(BUILD)/nestwarp bench/translation_time.sh

clean:
	rm -rf $(BUILD)
