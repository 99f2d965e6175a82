#!/usr/bin/env bash
# Writes the C constants after the Swift ones:
#
#   scripts/c-constants.sh            rewrites them
#   scripts/c-constants.sh --check    says whether they are as they should be
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly target=Sources/Facades/CSecurity

case ${1:-} in
    "") swift -swift-version 6 scripts/c-constants.swift "$target" ;;
    --check)
        copy=$(mktemp -d)
        trap 'rm -rf "$copy"' EXIT
        cp -R "$target/." "$copy"
        swift -swift-version 6 scripts/c-constants.swift "$copy"
        diff -r -u "$target" "$copy" || die "the C constants differ from the Swift ones: run scripts/c-constants.sh"
        ;;
    *) die "unknown argument $1 (only --check is known)" ;;
esac
