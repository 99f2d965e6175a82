#!/usr/bin/env bash
# A newcomer that reads 15,000 items, and a head in a circle of 32 devices, beside what cannot be left out of them: to open the
# boxes, and to verify the signatures. Then the same with keychains, databases and a folder.
#
#   Benchmarks/sync.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/common.sh

section "Building"
swift build "${release_options[@]}" --product sync-simulation
program=$(swift build "${release_options[@]}" --show-bin-path)/sync-simulation
for ((round = 0; round < ${1:-5}; round++)); do "$program" --speed; done

section "Keychains that share a folder"
swift build "${release_options[@]}" --product circle-speed
program=$(swift build "${release_options[@]}" --show-bin-path)/circle-speed
for ((round = 0; round < ${1:-5}; round++)); do "$program"; done

section "Services and processes that carry"
for product in chatelained chatelaine-sync; do swift build "${release_options[@]}" --product "$product"; done
for ((round = 0; round < ${1:-5}; round++)); do "$program" "$(dirname "$program")"; done
