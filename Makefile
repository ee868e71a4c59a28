# The two commands: `make run` and `make test`. `make help` lists the rest.
PRESET ?= release
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build/$(PRESET)
LEVELS := all
# The presets name Ninja; another generator does too.
GENERATOR = $(if $(shell command -v ninja),,-G "Unix Makefiles")

.PHONY: run test bench peers examples configure build format lint clean help setup
# For the processor of this machine alone, which takes four fifths of the time; all else is for any.
run: LEVELS := native
run: configure ## sample the rocking block: rocking_block.h5 and rocking_block.png
	cmake --build $(BUILD) --parallel $(JOBS) --target carom_cli
	$(BUILD)/carom sample scenarios/rocking_block.toml -o rocking_block.h5
	$(BUILD)/carom plot rocking_block.h5 -o rocking_block.png

test: build ## the whole test-suite
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

bench: configure ## every benchmark, one table per stage
	cmake --build $(BUILD) --parallel $(JOBS) --target carom_benchmarks
	bench/table.py $(BUILD)/bench

# Peers that cannot be installed are left out; the table says so.
peers: ## LCPs, contacts that give way and law plus through other programs, beside Carom, in some minutes
	@tools/setup.sh peers || echo "peers: going on with those that are installed"
	cmake --preset $(PRESET) $(GENERATOR) -DCAROM_PEERS=ON
	cmake --build $(BUILD) --parallel $(JOBS) --target carom_peers
	bench/peers/compare.py $(BUILD)/bench/peers
	bench/peers/compare_contacts.py $(BUILD)/bench/peers

examples: configure ## docs/examples.md and the pictures in docs/, in some minutes
	cmake --build $(BUILD) --parallel $(JOBS) --target carom_cli
	docs/make_examples.py --carom $(BUILD)/carom
	for figure in halm-9 halm-10 halm-11 halm-13 halm-14; do \
	  docs/make_examples.py --carom $(BUILD)/carom --figure $$figure || exit 1; done

setup:
	@tools/setup.sh

configure: setup
	cmake --preset $(PRESET) $(GENERATOR) -DCAROM_LEVELS=$(LEVELS)

build: configure ## configure and build (PRESET=release, cpu, cuda, debug or asan; JOBS=N)
	cmake --build $(BUILD) --parallel $(JOBS)

format: ## clang-format everything in place
	@tools/setup.sh format
	tools/check_format.sh --fix

# The preset debug compiles each file on its own, and clang-tidy wants its command.
lint: build ## clang-tidy and the include directions
	@tools/setup.sh lint
	tools/check_layers.sh
	cmake --preset debug $(GENERATOR)
	find host kernels -name '*.cpp' | \
	  xargs -P $(JOBS) -n 1 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p build/debug

clean: ## delete build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile
