#!/usr/bin/env bash
# What a change has to pass, with nobody to answer questions.
#
#   scripts/gate.sh               the short gate, which continuous integration runs
#   scripts/gate.sh long [STAGE…] the long one, whole or some stages of it; their last runs are in docs/reliability.md
#
# It tests what is committed, in a folder that outlives it, so that the next run builds only what has changed:
# CHATELAINE_GATE_FOLDER, which is /var/cache/chatelaine/gate for root, whose own folder other users' programs cannot reach,
# and ~/.cache/chatelaine/gate for others. CHATELAINE_GATE_COLD=1 builds everything anew. Gates take turns.
#
# Every stage runs, whatever came of those before it, and nothing that it starts outlives it. A stage that does not end in
# its time is stopped, and has failed; so has one for which no time is left. A green gate prints a line a stage; of a stage
# that failed, the end of its log. Whole logs stay in the folder.
set -euo pipefail
source "$(dirname "$0")/common.sh"
exec </dev/null
# What was said to the make that started this is not meant for those that it starts.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

# An unknown stage is refused before anything runs.
readonly long_stages=" test-install examples graph test-package machine container-test campaigns fuzz-replay fuzz "
case ${1:-} in
    "") ;;
    long)
        for name in "${@:2}"; do
            if [[ $long_stages != *" $name "* ]]; then die "the long gate has no stage $name, only:$long_stages"; fi
        done
        ;;
    *) die "unknown argument $1 (only long is known)" ;;
esac

# --- The folder ---------------------------------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ]; then cache=/var/cache; else cache=${XDG_CACHE_HOME:-$HOME/.cache}; fi
toolchain=$(swiftc -print-target-info | awk -F '"' '$2 == "compilerVersion" { print $4 }')
gates=${CHATELAINE_GATE_FOLDER:-$cache/chatelaine/gate}
folder=$gates/$(sed -E 's/.*(swift[a-z]*-[^ )]*).*/\1/; s/[^A-Za-z0-9.-]+/-/g' <<<"$toolchain")
readonly gates folder tree=$folder/tree
# What a run may leave behind, in GiB.
readonly bound=${CHATELAINE_GATE_GIB:-25}

# Which commit of this clone is tested; nothing where this is no clone, which is tested where it lies.
commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null || true)

# Makes the folder's tree the commit's: git writes no file that is as it should be, so SwiftPM compiles none of them again.
lay_out() {
    local source=$PWD changed
    changed=$(git status --porcelain | wc -l)
    if [ "$changed" -gt 0 ]; then printf 'What is not committed is not tested: %s files.\n' "$changed"; fi
    if [ "${CHATELAINE_GATE_COLD:-0}" = 1 ]; then rm -rf "$tree"; fi
    if [ -d "$tree/.build/debug" ] && git -C "$tree" rev-parse --verify --quiet HEAD >/dev/null; then
        was=$(git -C "$tree" rev-parse HEAD)
    else
        rm -rf "$tree"
        mkdir -p "$tree"
        git -C "$tree" init --quiet
    fi
    git -C "$tree" fetch --quiet --no-tags --update-shallow "$source" HEAD
    git -C "$tree" update-index -q --refresh || true
    git -C "$tree" reset --quiet --hard FETCH_HEAD
    # Builds stay, and the versions of packages that they were made with.
    git -C "$tree" clean --quiet -ffdx --exclude .build --exclude Package.resolved
    if [ -z "${was:-}" ]; then
        printf 'Cold: nothing is built in %s.\n' "$tree"
    else
        printf 'Warm: %s is built as of %s; %s files differ.\n' "$tree" "${was:0:12}" \
            "$(git -C "$tree" diff --name-only "$was" FETCH_HEAD 2>/dev/null | wc -l)"
    fi
}

# Keeps the folder within its bound: other toolchains' builds go first, then what the long gate has built, then all.
keep_small() {
    local size
    measure() { size=$(du -s --block-size=1G "$gates" | cut -f 1); }
    measure
    if [ "$size" -le "$bound" ]; then return; fi
    printf 'The folder of the gate has %s GiB of %s: it is cleaned.\n' "$size" "$bound"
    find "$gates" -mindepth 1 -maxdepth 1 -type d ! -path "$folder" -exec rm -rf {} +
    measure
    if [ "$size" -gt "$bound" ]; then
        find "$tree" -name .build -prune ! -path "$tree/.build" -exec rm -rf {} +
        find "$tree/.build" -mindepth 1 -maxdepth 1 -type d -name 'release*' -exec rm -rf {} +
        measure
    fi
    if [ "$size" -gt "$bound" ]; then rm -rf "$tree"; fi
}

if [ -n "$commit" ] && [ "${CHATELAINE_GATE_INSIDE:-}" != "$commit" ]; then
    mkdir -p "$folder"
    exec 9>"$gates/lock"
    if ! flock --nonblock 9; then
        printf 'Another gate runs: this one waits for it.\n'
        flock --timeout 3600 9 || die "the other gate has not ended within an hour"
    fi
    lay_out
    # The lock stays open here, and nowhere else.
    status=0
    CHATELAINE_GATE_INSIDE=$commit CHATELAINE_GATE_DOCUMENTS=$PWD "$tree/scripts/gate.sh" "$@" 9>&- || status=$?
    keep_small
    exit $status
fi

# --- Stages -------------------------------------------------------------------------------------------------------------

if [ "${1:-}" = long ]; then
    readonly kind=long all_minutes=${CHATELAINE_GATE_MINUTES:-240}
    shift
else
    readonly kind=short all_minutes=${CHATELAINE_GATE_MINUTES:-60}
fi
wanted=" $* "
if [ -n "$commit" ]; then logs=$folder/logs/$kind; else logs=$PWD/.build/gate/$kind; fi
if [ -d "$logs" ]; then rm -rf "$logs.before" && mv "$logs" "$logs.before"; fi
mkdir -p "$logs"

# Seconds, as minutes with one decimal.
in_minutes() { awk -v seconds="$1" 'BEGIN { printf "%.1f", seconds / 60 }'; }

# Writes a stage's run into the table of docs/reliability.md, in the checkout that asked for it.
note_run() {
    local page=${CHATELAINE_GATE_DOCUMENTS:-$PWD}/docs/reliability.md row
    row=$(printf '| `%s` | %s | %s | %s | %s |' "$1" "$(date -u +%Y-%m-%d)" "${commit:0:12}" "$2" "$3")
    awk -v stage="| \`$1\` |" -v row="$row" 'index($0, stage) == 1 { $0 = row } { print }' "$page" >"$logs/page" &&
        cat "$logs/page" >"$page"
    rm -f "$logs/page"
}

passed=0
failed=0
summary=()
# Runs a Makefile target as a stage: its name, its time limit in minutes, arguments for make. Machines differ, so a limit is
# about three times what two quiet cores need.
stage() {
    local name=$1 minutes=$2 left=$((all_minutes - SECONDS / 60)) begun=$SECONDS status=0 outcome times log
    shift 2
    if [ "$wanted" != "  " ] && [[ $wanted != *" $name "* ]]; then return; fi
    log=$logs/$name.log
    if [ "$left" -lt "$minutes" ]; then minutes=$left; fi
    if [ "$minutes" -le 0 ]; then
        outcome="FAILED: left out, since all $all_minutes minutes have passed"
        times=0
        : >"$log"
    else
        times=$(
            TIMEFORMAT='%U %S'
            { time scripts/contain.py --log "$log" --minutes "$minutes" -- make "$@"; } 2>&1
        ) || status=$?
        times=${times##*$'\n'}
        case $status in
            0) outcome=passed ;;
            124) outcome="FAILED: stopped, since it had not ended after $minutes minutes" ;;
            *) outcome="FAILED with status $status" ;;
        esac
    fi
    summary+=("$(printf '%-14s %5s minutes (%5s of a processor) %s' "$name" "$(in_minutes $((SECONDS - begun)))" \
        "$(awk -v times="$times" 'BEGIN { split(times, t, " "); printf "%.1f", (t[1] + t[2]) / 60 }')" "$outcome")")
    printf '######## %s\n' "${summary[-1]}"
    if [ $kind = long ]; then note_run "$name" "$(in_minutes $((SECONDS - begun)))" "$outcome"; fi
    if [ "$outcome" = passed ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'make %s, the end of %s:\n' "$*" "$log"
        tail -n 60 "$log" | cut -c 1-400
    fi
}

printf 'The %s gate of %s, on %s cores; logs are in %s.\n' $kind "${commit:-this folder}" "$(nproc)" "$logs"
if [ $kind = short ]; then
    # Without the programs that this installs, some tests are skipped.
    stage clients 10 clients
    # All of these share one build.
    stage check 35 check
    stage test 45 test
    stage instructions 10 instructions
    stage demo 5 demo
    stage two-apps 5 two-apps ARGS="--built $PWD/.build/debug"
    stage smoke 5 smoke
else
    # What is installed; three of these share a build.
    stage test-install 45 test-install
    stage examples 30 examples CONFIGURATION=release
    stage graph 40 graph CONFIGURATION=release
    # From what test-install has built.
    stage test-package 45 test-package
    stage machine 30 machine-test ARGS=--short
    stage container-test 45 container-test
    stage campaigns 45 campaigns
    # In a folder of their own: in that of the others a module Security is in sight, which fuzzers do not link.
    stage fuzz-replay 30 fuzz ARGS=replay
    stage fuzz 20 fuzz ARGS="run 10"
fi

section "Skipped"
grep -hE '^(Skipped|Not checked): ' "$logs"/*.log 2>/dev/null || printf 'Nothing.\n'
if [ $failed -gt 0 ] && grep -qhE '^(✘|It did not end:) ' "$logs"/*.log; then
    section "Tests that failed"
    grep -hE '^(✘|It did not end:) ' "$logs"/*.log | cut -c 1-400 | sort -u
fi
section "Stages"
printf '%s\n' "${summary[@]}"
section "Gate: $passed passed, $failed failed, $(in_minutes $SECONDS) minutes"
# The tests' own last line, which counts them.
grep -hE '^[0-9]+ passed, [0-9]+ failed' "$logs/test.log" 2>/dev/null || true
[ $failed -eq 0 ]
