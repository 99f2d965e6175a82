#!/usr/bin/env bash
# The pages of the keychain in the browser, with 15,000 items: the first page, the same again, sorted, a search, and memory. The
# floor is a file of the same server that needs no keychain, in the same run.
#
#   Benchmarks/access.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh

section "Building"
for product in chatelaine chatelaine-access; do swift build "${release_options[@]}" --product "$product"; done
programs=$(swift build "${release_options[@]}" --show-bin-path)

section "Pages"
for ((round = 0; round < ${1:-3}; round++)); do
    python3 Benchmarks/access.py "$programs" 15000
    # As a browser asks that was started for it.
    python3 Benchmarks/access.py "$programs" 15000 0.4
done
