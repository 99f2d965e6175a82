# The package's habits by name. Each is a script under scripts/, which does its own set-up.

.DEFAULT_GOAL := help
.PHONY: graph-of-imports bench-secrets bench-service deb help setup build library demo two-apps examples container-test chroot-test test campaigns simulate clients check gate format protobuf api graph bench fuzz gate-long smoke instructions \
	install uninstall machine-test test-install test-package clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing and check the toolchain
	@scripts/setup.sh --tests

build: ## build everything (CONFIGURATION=release for a release build)
	@scripts/build.sh $(or $(CONFIGURATION),debug)

library: ## build libSecurity.so for C and C++ programs
	@scripts/library.sh

demo: ## build and run the example: a password is stored, found, changed, deleted
	@scripts/demo.sh

two-apps: ## two apps of one team share a password and nobody else gets it, with the real service (root)
	@scripts/two-apps.sh $(ARGS)

examples: ## build the examples that need a network, and try them (CONFIGURATION=release for a release build)
	@scripts/examples.sh $(or $(CONFIGURATION),debug)

container-test: ## put a server into an image, and try it in containers (root, mmdebstrap, bubblewrap)
	@scripts/container.sh $(ARGS)

chroot-test: ## try make demo and make test on another release (ARGS=noble; root, mmdebstrap; an hour)
	@scripts/chroot-test.sh $(ARGS)

test: ## build and run the tests (ARGS="--filter …" for some of them)
	@scripts/test.sh $(ARGS)

simulate: ## try to break the rules of synchronization: 1,000,000 schedules, or ARGS="COUNT [SEED]"
	@scripts/simulate.sh $(ARGS)

campaigns: ## run whole the tests of which make test runs a sample
	@scripts/campaigns.sh

clients: ## install the large programs that some tests start (Chromium, Go, KWallet)
	@scripts/setup.sh --clients

check: ## style, layers, scripts, links, warnings
	@scripts/check.sh $(ARGS)

gate: ## what a change has to pass (root; half an hour)
	@scripts/gate.sh

gate-long: ## what takes longer, all of it or STAGES="graph fuzz" (root; hours)
	@scripts/gate.sh long $(STAGES)

instructions: ## count the instructions of calls, and compare them with those recorded (ARGS="--release --record")
	@scripts/instructions.sh $(ARGS)

smoke: ## install what the tests' build has made, and try it
	@scripts/smoke.sh

format: ## rewrite the Swift files as .swift-format says
	@scripts/format.sh

protobuf: ## make the code of the service's messages anew (Sources/Service/KeychainMessages)
	@scripts/protobuf.sh

api: ## list what the modules declare (docs/api, docs/symbols.md)
	@scripts/build.sh && scripts/api.sh

graph-of-imports: ## print how targets and floors use each other, and circles of files
	@scripts/imports.py

graph: ## build and run a program that also uses packages that look for a module Security (some minutes)
	@scripts/graph.sh $(or $(CONFIGURATION),debug)

bench: ## run the benchmarks
	@scripts/bench.sh $(ARGS)

bench-service: ## measure the keychain service against floors and gnome-keyring (ARGS for service-ratio)
	@scripts/bench-service.sh $(ARGS)

bench-secrets: ## measure the Secret Service beside gnome-keyring (ARGS for secret-services.py)
	@scripts/bench-secrets.sh $(ARGS)

fuzz: ## replay the fuzzers' inputs, or fuzz (ARGS="run 60")
	@scripts/fuzz.sh $(or $(ARGS),replay)

install: ## install command, libraries, modules, headers (PREFIX=/usr/local, DESTDIR=)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install.sh

deb: ## build a Debian package into .build
	@scripts/deb.sh

uninstall: ## remove what was installed there
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install.sh --uninstall

machine-test: ## boot a whole machine with the package, and use it as people do (root; ARGS=--short for the most important)
	@scripts/machine-test.sh $(ARGS)

test-package: ## install, update and remove the Debian package in containers (root, mmdebstrap, systemd-container)
	@scripts/test-package.sh $(ARGS)

test-install: ## install into a folder and build clients against it alone
	@scripts/test-install.sh

clean: ## remove what was built
	@rm -rf .build */.build */*/.build
