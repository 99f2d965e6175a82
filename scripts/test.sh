#!/usr/bin/env bash
# Builds and runs the tests: scripts/test.sh [arguments for swift test…], for example --filter AddItem
set -euo pipefail
source "$(dirname "$0")/common.sh"

scripts/setup.sh --tests

section "Building the tests"
swift build --build-tests "${debug_options[@]}"

section "Running the tests"
folder=$(swift build --show-bin-path)
report=$folder/tests-swift-testing.xml # SwiftPM adds what follows "tests"
log=$folder/tests.log
rm -f "$report"
status=0
swift test --skip-build "${debug_options[@]}" --xunit-output "$folder/tests.xml" "$@" 2>&1 | tee "$log" || status=$?

# The last line counts tests, not issues. Swift Testing leaves a report; XCTest, which leaves none, prints a line a test.
# A crash leaves half a report, or a failure without a failed test: then the count would be a lie.
touch "$report"
cat "$report" "$log" | awk -v status=$status '
    /<testcase / { count(); in_case = 1 }
    /<failure/ { failing = 1 }
    /<skipped/ { skipping = 1 }
    /<\/testsuites>/ { count(); complete = 1 }
    /^Test Case .* passed \(/ { passed++ }
    /^Test Case .* failed \(/ { failed++ }
    /^Test Case .* skipped \(/ { skipped++ }
    # Said again at the end, where a shortened log still has them.
    /recorded an issue/ { failure[++failures] = $0 }
    function count() {
        if (in_case) { if (failing) failed++; else if (skipping) skipped++; else passed++ }
        in_case = failing = skipping = 0
    }
    END {
        if (!complete || (status != 0 && !failed)) {
            print "The test run did not come to its end."
            exit 1
        }
        for (line = 1; line <= failures; line++) print failure[line]
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
        exit status
    }
'
