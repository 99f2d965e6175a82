#!/usr/bin/env bash
# Builds and runs the tests: scripts/test.sh [--filter … or --skip …]. scripts/run-tests.py says how they are run.
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests

section "Building the tests"
swift build --build-tests "${debug_options[@]}"

scripts/etcd.sh tests

# Runs a package's tests: where it was built, its name, what was said to this script.
run() {
    rm -rf "$1/test-logs"
    mkdir "$1/test-logs"
    scripts/run-tests.py --program "$1/$2PackageTests.xctest" --logs "$1/test-logs" -- "${@:3}"
}

# Of the other package, unless somebody wants some tests.
status=0
if [ $# -eq 0 ]; then
    section "Running the tests of the transport over etcd"
    run "$(swift build --package-path Etcd --scratch-path Etcd/.build --show-bin-path "${debug_options[@]}")" chatelaine-etcd ||
        status=1
fi
section "Running the tests"
run "$(swift build --show-bin-path "${debug_options[@]}")" chatelaine "$@" || status=$?
exit $status
