#!/usr/bin/env bash
# Tests scripts/run-tests.py and scripts/contain.py with tests that fail, hang, crash and leave daemons behind
# (Tests/Harness), and by ending them from outside: each is reported, in time, and nothing that they started is left.
set -euo pipefail
source "$(dirname "$0")/common.sh"

scratch=.build/harness
mkdir -p .build
swift build --build-tests --package-path Tests/Harness --scratch-path "$scratch" >"$scratch.log" 2>&1 || {
    cat "$scratch.log"
    exit 1
}
program=$(swift build --package-path Tests/Harness --scratch-path "$scratch" --show-bin-path)/HarnessPackageTests.xctest

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# No other process sleeps for so long.
HARNESS_SECONDS=$((100000 + $$))
export HARNESS_FOLDER=$folder HARNESS_SECONDS

fail() {
    cat "$folder/output"
    die "$*"
}

# Runs the tests: the status that is to come, a name for this run, and what the output has to say.
reports() {
    local expected=$1 name=$2 status=0 begun=$SECONDS line
    shift 2
    rm -f "$folder/started"
    mkdir "$folder/$name"
    chmod 777 "$folder/$name"
    # A pipe, as somebody's continuous integration has: it ends when nobody holds it any more.
    { "${run[@]}" --program "$program" --logs "$folder/$name" -- --filter HarnessTests 2>&1 || echo "status $?"; } |
        cat >"$folder/output"
    status=$(sed -n 's/^status //p' "$folder/output")
    [ "${status:-0}" = "$expected" ] || fail "$name: status ${status:-0} instead of $expected"
    [ $((SECONDS - begun)) -lt 60 ] || fail "$name: took $((SECONDS - begun)) s"
    for line in "$@"; do
        grep -qE -- "$line" "$folder/output" || fail "$name: does not say: $line"
    done
    leaves_nothing "$name"
}

leaves_nothing() {
    local left
    left=$(pgrep -af "sleep $HARNESS_SECONDS" || true)
    [ -z "$left" ] || fail "$1: left behind: $left"
    left=$(find "${TMPDIR:-/tmp}" -maxdepth 2 -name "harness-$HARNESS_SECONDS" 2>/dev/null || true)
    # Who is killed at once removes nothing.
    if [[ $1 = *-killed ]]; then rm -rf "${left%/*}"; elif [ -n "$left" ]; then fail "$1: left behind: $left"; fi
    if grep -q harness /proc/self/mounts; then fail "$1: a mount is left behind"; fi
    printf 'ok      %s\n' "$1"
}

# Begins tests of which one hangs, and ends what runs them with a signal.
is_ended_by() {
    local name=$1 signal=$2 runner
    rm -f "$folder/started"
    mkdir "$folder/$name"
    chmod 777 "$folder/$name"
    HARNESS_HANGS=1 "${run[@]}" --program "$program" --logs "$folder/$name" -- --filter HarnessTests \
        >"$folder/output" 2>&1 &
    runner=$!
    for _ in $(seq 600); do if [ -e "$folder/started" ]; then break; fi; sleep 0.05; done
    [ -e "$folder/started" ] || fail "$name: the tests do not begin"
    kill "-$signal" $runner
    wait $runner || true
    # The kernel takes a moment to end a namespace.
    for _ in $(seq 100); do if ! pgrep -f "sleep $HARNESS_SECONDS" >/dev/null; then break; fi; sleep 0.05; done
    leaves_nothing "$name"
}

export CHATELAINE_TEST_PATIENCE=0.1
for by in root nobody; do
    run=(scripts/run-tests.py)
    if [ $by = nobody ]; then
        [ "$(id -u)" = 0 ] || continue
        # Somebody who may make no namespaces, and reads no other user's folders.
        cp scripts/{run-tests,contain}.py "$folder/"
        chmod 755 "$folder"
        chown -R 65534 "$folder"
        program=$(realpath "$program")
        setpriv --reuid 65534 --clear-groups test -r "$program" || continue
        run=(setpriv --reuid 65534 --clear-groups /usr/bin/env python3 "$folder/run-tests.py")
    fi
    reports 1 "$by-fails" 'HarnessTests: `?a test that fails' '^2 passed, 1 failed, 3 skipped$' \
        '^Skipped: HarnessTests: .*a test that is skipped.*: has a reason'
    HARNESS_HANGS=1 reports 1 "$by-hangs" '^It did not end: HarnessTests: .*a test that hangs' 'did not come to their end'
    HARNESS_CRASHES=1 reports 1 "$by-crashes" '^It did not end: HarnessTests: .*a test that crashes' \
        'did not come to their end'
    CHATELAINE_TEST_PATIENCE=5 is_ended_by "$by-terminated" TERM
    # Without namespaces nobody is left then who could end the rest.
    if [ $by = root ] && [ "$(id -u)" = 0 ]; then CHATELAINE_TEST_PATIENCE=5 is_ended_by "$by-killed" KILL; fi
done
