#!/usr/bin/env bash
# Counts the instructions of one call, in a keychain of 300 items: get and search by the value that they return, add, and
# each item of a list. Callgrind counts, so it does not matter what else the machine does. Two runs of each, since
# queries come in a random order: their difference is the noise.
#
#   Benchmarks/instructions.sh
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

scripts/setup.sh --tests
command -v valgrind >/dev/null || die "valgrind counts instructions, and is missing (apt-get install valgrind)"

export CHATELAINE_WARNINGS_AS_ERRORS=0
section "Building"
build=(swift build --package-path Benchmarks --configuration release)
"${build[@]}" --product call-count
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program=$folder/call-count
# Valgrind gives up at Swift's debug information.
strip --strip-debug -o "$program" "$("${build[@]}" --show-bin-path)/call-count"

instructions() {
    # Swift seeds its hashes anew in each process, otherwise.
    SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

# What one of so many more calls costs, and an item of each where a call returns many.
difference() {
    local kind=$1 few=$2 many=$3 items=$4
    echo $((($(instructions "$kind" "$many") - $(instructions "$kind" "$few")) / (many - few) / items))
}

section "Instructions"
while read -r kind few many items; do
    printf '%-8s %s %s\n' "$kind" "$(difference "$kind" "$few" "$many" "$items")" \
        "$(difference "$kind" "$few" "$many" "$items")"
done <<'KINDS'
get 100 1100 1
search 100 1100 1
add 50 450 1
list 2 12 300
KINDS
