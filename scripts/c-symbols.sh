#!/usr/bin/env bash
# Lists what C programs may link, a name a line, as the C headers declare it:
#
#   scripts/c-symbols.sh                       functions and constants
#   scripts/c-symbols.sh functions             functions only
#   scripts/c-symbols.sh documented-functions  those that Apple documents; SecPrivate.h declares the others
set -euo pipefail
source "$(dirname "$0")/common.sh"

kind=${1:-all}
headers=(Sources/Facades/CSecurity/include/Security/*.h)
if [ "$kind" = documented-functions ]; then
    mapfile -t headers < <(printf '%s\n' "${headers[@]}" | grep -v SecPrivate.h)
fi
cat "${headers[@]}" | awk -v kind="$kind" '
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
