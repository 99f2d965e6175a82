#!/usr/bin/env bash
# Builds and runs the tests: scripts/test.sh [arguments for swift test…], for example --filter AddItem
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests

section "Building the tests"
swift build --build-tests "${debug_options[@]}"

section "Running the tests"
folder=$(swift build --show-bin-path "${debug_options[@]}")
logs=$folder/test-logs
rm -rf "$logs"
mkdir "$logs"

# Most tests wait for other programs, and a process of Swift Testing runs no more at a time than there are cores. So the
# tests are shared among processes, of about the same length. What is named here nowhere runs in the last.
readonly shares=(
    '^BehaviourTests\.'
    '^(KeychainStoreTests|ProcessTests|KeychainVaultTests|BackupCommandTests)\.'
    '^(LockedServiceTests|KeychainServerTests|TPMEnclaveTests|ToolTests)\.'
)

# These come after the others, one after the other: programs in them answer within the two seconds that the service gives
# them, or have lost, and a log-in waits no longer for a keychain.
readonly alone=('^AttackTests\.' '^LoginTests\.')

# Enough for a slow machine with other work; a test that never ends is named then, instead of waited for.
readonly minutes=${CHATELAINE_TEST_MINUTES:-20}

# What is printed is read below.
export NO_COLOR=1

# Runs tests in a process of their own. The log, beside the report, ends with a line of what came of it.
run_share() {
    local name=$1 status=0
    shift
    timeout --kill-after=10 $((minutes * 60)) "$folder/chatelainePackageTests.xctest" --testing-library swift-testing \
        --xunit-output "$logs/$name.xml" "$@" 2>&1 | tee "$logs/$name.log" || status=$?
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        awk '
            match($0, /^◇ Test ".*" started\.$/) { open[substr($0, 12, RLENGTH - 20)]++ }
            /^[✔✘] Test ".*" (with [0-9]+ test cases? )?(passed|failed) after / {
                name = $0
                sub(/^[^"]*"/, "", name)
                sub(/"( with [0-9]+ test cases?)? (passed|failed) after .*/, "", name)
                open[name]--
            }
            END { for (name in open) if (open[name] > 0) print "It did not end: " name }
        ' "$logs/$name.log" | tee -a "$logs/$name.log"
    fi
    return $status
}

status=0
if [ $# -gt 0 ]; then
    swift test --skip-build "${debug_options[@]}" --xunit-output "$logs/some.xml" "$@" 2>&1 | tee "$logs/some.log" ||
        status=$?
else
    processes=()
    rest=()
    for index in "${!shares[@]}"; do
        run_share "$index" --filter "${shares[index]}" &
        processes+=($!)
        rest+=(--skip "${shares[index]}")
    done
    for pattern in "${alone[@]}"; do rest+=(--skip "$pattern"); done
    run_share rest "${rest[@]}" &
    processes+=($!)
    for process in "${processes[@]}"; do wait "$process" || status=$?; done
    for index in "${!alone[@]}"; do run_share "alone-$index" --filter "${alone[index]}" || status=$?; done
fi

# The last line counts tests, not issues. A crash leaves half a report or none, or a failure without a failed test: then the
# count would be a lie.
for log in "$logs"/*.log; do
    report=${log%.log}
    # SwiftPM adds what follows the name.
    report=$(find "$logs" -name "$(basename "$report").xml" -o -name "$(basename "$report")-swift-testing.xml")
    cat "$log"
    if [ -n "$report" ]; then cat "$report"; fi
    printf '\nthe next share\n'
done | awk -v status=$status '
    /<testcase / { count(); in_case = 1; name = text(" name=\"", "\"") }
    /<failure/ { failing = 1 }
    /<skipped/ {
        skipping = 1
        reason = text("<skipped>", "</skipped>")
        skip[++skips] = "Skipped: " name ": " (reason == "" ? "no reason is given" : reason)
    }
    /<\/testsuites>/ { count(); complete++ }
    /^the next share$/ { runs++ }
    # Said again at the end, where a shortened log still has them.
    /recorded an issue/ || /^It did not end: / { failure[++failures] = $0 }
    # What stands between two words of this line, without the ways of XML and of Swift to write it; nothing where they are not.
    function text(before, after,  found, end) {
        if (!index($0, before)) return ""
        found = substr($0, index($0, before) + length(before))
        end = index(found, after)
        if (end) found = substr(found, 1, end - 1)
        gsub(/&quot;/, "\"", found); gsub(/&apos;/, "\047", found); gsub(/&lt;/, "<", found); gsub(/&gt;/, ">", found)
        gsub(/&amp;/, "\\&", found); gsub(/`|\(\)/, "", found)
        return found
    }
    function count() {
        if (in_case) { if (failing) failed++; else if (skipping) skipped++; else passed++ }
        in_case = failing = skipping = 0
    }
    END {
        for (line = 1; line <= skips; line++) print skip[line]
        for (line = 1; line <= failures; line++) print failure[line]
        if (complete < runs || (status != 0 && !failed)) {
            print "The test run did not come to its end."
            exit 1
        }
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
        exit status
    }
'
