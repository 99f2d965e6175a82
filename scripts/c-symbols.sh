#!/usr/bin/env bash
# Lists what C programs may link, a name a line, as the C headers declare it:
#
#   scripts/c-symbols.sh              functions and constants
#   scripts/c-symbols.sh functions    functions only
set -euo pipefail
source "$(dirname "$0")/common.sh"

kind=${1:-all}
cat Sources/Facades/CSecurity/include/Security/*.h | awk -v kind="$kind" '
    # A declaration begins with CF_EXPORT and goes on to the semicolon.
    /^ *\/\// { next }
    /^CF_EXPORT / { declaration = "" ; in_declaration = 1 }
    in_declaration { declaration = declaration " " $0 }
    in_declaration && /;/ {
        in_declaration = 0
        is_function = declaration ~ /[A-Za-z0-9_]+\(/ && declaration !~ /^ CF_EXPORT const /
        if (is_function) {
            match(declaration, /[A-Za-z0-9_]+\(/)
            print substr(declaration, RSTART, RLENGTH - 1)
        } else if (kind == "all") {
            sub(/;.*/, "", declaration)
            sub(/.*[ *]/, "", declaration)
            print declaration
        }
    }
' | LC_ALL=C sort
