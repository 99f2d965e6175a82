#!/usr/bin/env bash
# Builds and runs the tests: scripts/test.sh [--filter … or --skip …]. scripts/run-tests.py says how they are run.
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests

section "Building the tests"
swift build --build-tests "${debug_options[@]}"

section "Running the tests"
folder=$(swift build --show-bin-path "${debug_options[@]}")
rm -rf "$folder/test-logs"
mkdir "$folder/test-logs"
exec scripts/run-tests.py --program "$folder/chatelainePackageTests.xctest" --logs "$folder/test-logs" -- "$@"
