#!/usr/bin/env bash
# Builds and runs a program (Tests/Graph) that uses this package beside others whose sources say
# `#if canImport(Security)`: swift-certificates, swift-crypto, swift-nio-ssl, async-http-client. It builds twice, since
# what they see depends on the order: the second time they are compiled again, with our module in sight.
#
# Then come packages of other people's kind, by their own manifests (Tests/Packages): three wrappers with their tests, and a
# library whose code about servers' certificates comes to life where there is a Security.
#
#   scripts/graph.sh [debug|release]
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Warnings would stop a package that depends by path.
export CHATELAINE_WARNINGS_AS_ERRORS=0
readonly package=Tests/Graph
case ${1:-debug} in
    debug)
        scratch=$package/.build
        build=(swift build --scratch-path "$scratch")
        ;;
    # In the folder and with the options of what is installed, so that nothing is compiled twice.
    release)
        scratch=$release_folder
        build=("${release_build[@]}")
        ;;
    *) die "debug or release?" ;;
esac
others=("${build[@]}")
build+=(--package-path "$package")

scripts/setup.sh --tests

run() { CHATELAINE_KEYCHAIN=memory: "$("${build[@]}" --show-bin-path)/Graph"; }

# SwiftPM looks for new and removed files in the package it builds, not in those that it depends on by path.
touch "$package/Package.swift"

section "Building the graph as it comes (a first build takes some minutes)"
"${build[@]}"
run

section "Building again what asks for a module Security"
mapfile -t askers < <(grep -rlE --include '*.swift' 'canImport\((Security|LocalAuthentication)\)' \
    "$scratch"/checkouts/*/Sources)
[ ${#askers[@]} -gt 0 ] || die "nobody asks for it any more: this check has become pointless"
touch "${askers[@]}"
"${build[@]}"
run

# Without this the second build could have been like the first.
grep -aq SecCertificate "$("${build[@]}" --show-bin-path)/Modules/X509.swiftmodule" ||
    die "swift-certificates was not compiled with our module in sight"

# Where these look for this package.
export CHATELAINE_PACKAGE=$PWD CHATELAINE_KEYCHAIN=memory:
# Runs the tests of a wrapper: its name, the libraries that they are written with, and what a pass of them says.
wrapper() {
    local bundle build=("${others[@]}" --package-path "Tests/Packages/$1" --build-tests)
    section "Testing $1 by its manifest"
    "${build[@]}"
    bundle=$("${build[@]}" --show-bin-path)/$1PackageTests.xctest
    # shellcheck disable=SC2086 # options are words
    "$bundle" $2 2>&1 | tee "$scratch/tests.log"
    grep -qE "$3" "$scratch/tests.log" || die "the tests of $1 did not pass"
}
wrapper ChainedKeychain "" 'Executed 8 tests, with 0 failures'
wrapper Strongbox "--testing-library swift-testing" 'Test run with 8 tests .* passed'
wrapper DefaultsKeychain "" 'Executed 6 tests, with 0 failures'

# In a folder of its own, and for debugging: every module is compiled with this option, and Security with other contents.
section "Building a library with code about servers' certificates (some minutes)"
pinning=(
    env CHATELAINE_SERVER_TRUST=1 swift build --package-path Tests/Packages/PinningClient --scratch-path .build/pinning
    "${debug_options[@]}" -Xswiftc -Xfrontend -Xswiftc -disable-availability-checking
)
# What looks for a module is to find it.
"${pinning[@]}" --target Security
"${pinning[@]}"
"$("${pinning[@]}" --show-bin-path)/PinningClient" | grep -x 'pinning compiled'
grep -aq SecTrust "$("${pinning[@]}" --show-bin-path)/Modules/Pinning.swiftmodule" ||
    die "the library was not compiled with our module in sight"
