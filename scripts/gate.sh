#!/usr/bin/env bash
# All that a change has to pass, from a clean clone and with nobody to answer questions. Every stage runs, whatever came of
# those before it. One that does not end in its time is stopped, and is a failure; so is one for which no time is left. The
# log ends with what was skipped, and with each stage, its minutes and its outcome.
#
# CHATELAINE_GATE_MINUTES (85) is the time for all. Each stage's log is in .build/gate.
set -euo pipefail
source "$(dirname "$0")/common.sh"
exec </dev/null

readonly all_minutes=${CHATELAINE_GATE_MINUTES:-85}
readonly logs=$PWD/.build/gate
rm -rf "$logs"
mkdir -p "$logs"

# Seconds, as minutes with one decimal.
in_minutes() { awk -v seconds="$1" 'BEGIN { printf "%.1f", seconds / 60 }'; }

passed=0
failed=0
summary=()
# Runs a target of the Makefile: the stage's name, the minutes that it may take, and arguments for make. Builds that others
# wait for take long on a slow machine, so the minutes are several times what a quiet machine with two cores needs.
stage() {
    local name=$1 minutes=$2 left=$((all_minutes - SECONDS / 60)) begun=$SECONDS status=0 outcome times log writer
    shift 2
    log=$logs/${name// /-}.log
    if [ "$left" -lt "$minutes" ]; then minutes=$left; fi
    printf '\n######## %s: make %s\n' "$name" "$*"
    if [ "$minutes" -le 0 ]; then
        outcome="FAILED: left out, since all $all_minutes minutes have passed"
        times=0
    else
        exec 3> >(exec tee "$log")
        writer=$!
        # `time` prints on the error stream of the braces, the stage on descriptor 3.
        times=$(
            TIMEFORMAT='%U %S'
            { time timeout --kill-after=30 "${minutes}m" make "$@" >&3 2>&1 3>&-; } 2>&1
        ) || status=$?
        exec 3>&-
        # A process that outlives its stage would keep the log open.
        timeout 10 tail --pid=$writer -f /dev/null || kill $writer 2>/dev/null || true
        case $status in
            0) outcome=passed ;;
            124 | 137) outcome="FAILED: stopped, since it had not ended after $minutes minutes" ;;
            *) outcome="FAILED with status $status" ;;
        esac
    fi
    if [ "$outcome" = passed ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    summary+=("$(printf '%-14s %5s minutes (%5s of a processor) %s' "$name" "$(in_minutes $((SECONDS - begun)))" \
        "$(awk -v times="$times" 'BEGIN { split(times, t, " "); printf "%.1f", (t[1] + t[2]) / 60 }')" "$outcome")")
    printf '######## %s\n' "${summary[-1]}"
}

# Without the programs that this installs, some tests are skipped.
stage clients 10 clients
# These four share one build.
stage check 35 check
stage test 50 test
stage demo 10 demo
stage two-apps 10 two-apps ARGS="--built $PWD/.build/debug"
# So do these three.
stage test-install 35 test-install
stage examples 30 examples CONFIGURATION=release
# From what test-install has built.
stage machine 20 machine-test ARGS=--short
stage graph 40 graph CONFIGURATION=release
# And these two, in a folder of their own: in that of the others a module Security is in sight, which fuzzers do not link.
stage "fuzz replay" 30 fuzz ARGS=replay
stage "fuzz 10 s" 15 fuzz ARGS="run 10"

section "Skipped"
grep -hE '^(Skipped|Not checked): ' "$logs"/*.log 2>/dev/null || printf 'Nothing.\n'
section "Stages"
printf '%s\n' "${summary[@]}"
section "Gate: $passed passed, $failed failed, $(in_minutes $SECONDS) minutes"
[ $failed -eq 0 ]
