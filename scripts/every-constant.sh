#!/usr/bin/env bash
# Lists the façades' constants that are made at their first use, so that they can all be made before a fork:
#
#   scripts/every-constant.sh            writes the list
#   scripts/every-constant.sh --check    says whether it is as it should be
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly list=Sources/Facades/Security/Constants/EveryConstant.swift

# A global that holds a number is there from the start.
globals() {
    find Sources/Facades/Security Sources/Core/CoreFoundationAliases -name '*.swift' ! -name EveryConstant.swift \
        -exec sed -nE 's/^(@safe nonisolated\(unsafe\) )?public let (k[A-Za-z0-9_]+): [^=]*=( *$| +[^-0-9 ].*)/\2/p' {} +
}

algorithms() {
    sed -nE 's/^    public static let ([A-Za-z0-9_]+) = (SecKeyAlgorithm|SecKeyKeyExchangeParameter)\(.*/\2.\1/p' \
        Sources/Facades/Security/Constants/*.swift
}

write() {
    cat <<'SWIFT'
import CoreFoundationAliases
import Foundation

// Written by scripts/every-constant.sh.

/// Makes all constants that are made at their first use. A child that is forked while another thread makes one would wait
/// for it for ever, so a fork makes them first.
func makeEveryConstant() {
    _ = isBoolean(kCFBooleanTrue)
SWIFT
    { globals && algorithms; } | LC_ALL=C sort -u | sed 's/.*/    use(&)/'
    cat <<'SWIFT'
}

/// Without this, the compiler would leave out what is not used.
@_optimize(none)
private func use(_ constant: Any?) {}
SWIFT
}

case ${1:-} in
    "") write >"$list" ;;
    --check) write | diff -u "$list" - || die "constants are missing in $list: run scripts/every-constant.sh" ;;
    *) die "unknown argument $1 (only --check is known)" ;;
esac
