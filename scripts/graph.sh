#!/usr/bin/env bash
# Builds and runs a program (Tests/Graph) that uses this package beside others whose sources say
# `#if canImport(Security)`: swift-certificates, swift-crypto, swift-nio-ssl, async-http-client. It builds twice, since
# what they see depends on the order: the second time they are compiled again, with our module in sight.
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
        build=(swift build)
        ;;
    # In the folder and with the options of what is installed, so that nothing is compiled twice.
    release)
        scratch=$release_folder
        build=("${release_build[@]}")
        ;;
    *) die "debug or release?" ;;
esac
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
