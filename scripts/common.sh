# Sourced by the other scripts: goes to the root of the package and gives them a few words in common.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Our own builds stop at a warning. Exported here, so that every script builds with the same flags and nothing is
# compiled twice. Say 0 to build with a compiler newer than the one the warnings were cleared with.
export CHATELAINE_WARNINGS_AS_ERRORS="${CHATELAINE_WARNINGS_AS_ERRORS:-1}"

# A target may import only what the manifest says it depends on. SwiftPM checks that only when asked. It cannot be asked
# to stop there: X509 imports the module Security wherever there is one (docs/decisions/0011), and it would stop at that.
# scripts/check.sh stops at any other. All scripts ask, so that nothing is planned twice.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly strict_imports=(--explicit-target-dependency-import-check warn)

# Prints a heading.
section() { printf '\n==> %s\n' "$*"; }

# Prints a message on the error stream and ends the script.
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Lists, each ended by a NUL, the Swift files that people wrote: not the build folders, not what a generator made.
swift_files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        # A file that is deleted but not yet committed is still listed: leave it out.
        git ls-files -z --cached --others --exclude-standard -- '*.swift' ':!:*.pb.swift' |
            while IFS= read -r -d '' file; do
                if [ -f "$file" ]; then printf '%s\0' "$file"; fi
            done
    else
        find . -name '.?*' -prune -o -name '*.swift' ! -name '*.pb.swift' -print0
    fi
}
