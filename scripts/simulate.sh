#!/usr/bin/env bash
# Tries to break the rules of synchronization with random schedules (docs/synchronization.md), on all cores:
#
#   scripts/simulate.sh [--rare] [SCHEDULES [FIRST SEED]]    1,000,000 from seed 0, if nothing else is said
#
# With --rare, schedules have members who lie, damaged databases, clocks that jump and other rare events, too.
# It may be ended at any time and goes on where it was: what was run with this commit is noted in .build/simulation. A schedule
# that fails is named by its seed; `sync-simulation --first SEED --count 1 --shrink`, with --rare if need be, makes it shorter.
set -euo pipefail
source "$(dirname "$0")/common.sh"

rare=
if [ "${1:-}" = --rare ]; then
    rare=--rare
    shift
fi
readonly count=${1:-1000000} first=${2:-0} chunk=2000
[[ $count =~ ^[0-9]+$ && $first =~ ^[0-9]+$ ]] || die "how many schedules, and from which seed on?"
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- Sources Tests/SyncSimulation || commit+=-changed
readonly rare notes=.build/simulation/$commit$rare

section "Building the simulation"
swift build "${release_options[@]}" --product sync-simulation
program=$(swift build "${release_options[@]}" --show-bin-path)/sync-simulation
mkdir -p "$notes"
# What was changed and not committed is not what it was when it last ran.
if [[ $commit == *-changed ]]; then rm -f "$notes"/*; fi

section "Running $count schedules from seed $first, commit $commit"
began=$SECONDS
run_chunk() {
    local note=$notes/$1
    [ ! -e "$note" ] || return 0
    # shellcheck disable=SC2086 # one word or none
    "$program" $rare --first "$1" --count "$chunk" >"$note.part" || true
    mv "$note.part" "$note"
}
export -f run_chunk
export notes chunk program rare
seq "$first" "$chunk" $((first + count - 1)) | xargs -P "$(nproc)" -I{} bash -c 'run_chunk {}'

failed=$(cat "$notes"/* | grep -c '^seed ' || true)
printf '%s schedules of commit %s, %s of them failed; %s seconds this time\n' \
    $(($(find "$notes" -type f ! -name '*.part' | wc -l) * chunk)) "$commit" "$failed" $((SECONDS - began))
cat "$notes"/* | grep '^seed ' | head -n 20 || true
# A chunk that has no last line ended by a crash.
crashed=$(grep -L 'schedules, ' "$notes"/* || true)
if [ -n "$crashed" ]; then printf 'ended in the middle: %s\n' "$crashed"; fi
[ "$failed" -eq 0 ] && [ -z "$crashed" ]
