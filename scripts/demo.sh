#!/usr/bin/env bash
# Shows what the package is for: builds the example program, which stores, finds, changes and deletes a password
# through Apple's API and prints every step, and runs it.
set -euo pipefail
# This is what a newcomer runs first, perhaps with a newer compiler: a warning shall not stop it.
export CHATELAINE_WARNINGS_AS_ERRORS="${CHATELAINE_WARNINGS_AS_ERRORS:-0}"
source "$(dirname "$0")/common.sh"

scripts/setup.sh

section "Building the example (a first build takes some minutes)"
# With the tests' options, so that `make test` compiles none of the other packages again.
swift build --product password-demo "${debug_options[@]}"

section "Running it, with a keychain of its own in a temporary folder"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CHATELAINE_KEYCHAIN=embedded:$folder/keychain "$(swift build --show-bin-path)/password-demo" "$@"
