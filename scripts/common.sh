# Sourced by the other scripts: goes to the root of the package and gives them a few words in common.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Our own builds stop at a warning. Exported here, so that every script builds with the same flags and nothing is
# compiled twice. Say 0 to build with a compiler newer than the one the warnings were cleared with.
export CHATELAINE_WARNINGS_AS_ERRORS="${CHATELAINE_WARNINGS_AS_ERRORS:-1}"

# The keychain in the browser needs packages that no other package is to fetch for ours.
export CHATELAINE_ACCESS="${CHATELAINE_ACCESS:-1}"

# A target may import only what the manifest says it depends on. SwiftPM checks that only when asked. It cannot be asked
# to stop there: X509 imports the module Security wherever there is one (docs/decisions/0011), and it would stop at that.
# scripts/check.sh stops at any other. All scripts ask, so that nothing is planned twice.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly strict_imports=(--explicit-target-dependency-import-check warn)

# SwiftPM writes the flags of a package's traits in the order of a set, which differs from process to process. The same
# order each time keeps it from compiling SwiftProtobuf, and whatever depends on it, again at every second build. Tests are
# to meet different orders, so nothing but a build gets this.
swift() {
    if [ "${1:-}" = build ]; then
        SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"
    else
        command swift "$@"
    fi
}

# Builds to try things with: C is optimised even there, since trying one passcode takes seconds otherwise (scrypt). Each
# module is compiled as a whole: file by file, a build of everything takes three times as long. The number of threads makes
# the compiler write an object for each file, as SwiftPM expects.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly debug_options=(
    "${strict_imports[@]}" -debug-info-format none -Xcc -O2 -Xswiftc -use-ld=lld
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
)

# Where release builds are made that have something in common, and how: what another package of ours depends on is compiled
# there once. SwiftPM would build by the plan that it finds in the folder, which may be another package's.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly release_folder=.build/release-build
readonly release_options=(
    --configuration release --scratch-path "$release_folder" --disable-build-manifest-caching
    -Xswiftc -use-ld=lld "${strict_imports[@]}"
)

# The one build of all that is installed: with the façades' modules made for compilers that find nothing else of ours,
# of which the compiler warns, since Foundation's own is not.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly release_build=(
    env CHATELAINE_LIBRARY=1 CHATELAINE_WARNINGS_AS_ERRORS=0 SWIFT_DETERMINISTIC_HASHING=1
    swift build "${release_options[@]}"
)

# Links a product for machines without a toolchain, with Swift's libraries inside: the folder, the product, the module
# that has its main, and more for the linker; built by the command `programs_build`, unless all products are built. To
# compile for that (--static-swift-stdlib) would compile everything once more, so it is only linked so; and what the static
# modules would have told the linker is said here. Symbols are two thirds of the size, and nothing of ours reads them.
# Swift asks for all symbols to be exported, for backtraces, which we have turned off; what is exported is never left out.
# What takes the place of the C library's functions (CZeroingAllocator) the linker exports all the same, as it has to.
readonly static_essentials=(-l_FoundationCShims -l_FoundationCollections)
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly static_foundation=(-lCoreFoundation -l_FoundationICU "${static_essentials[@]}")
programs_build=("${release_build[@]}")
products_are_built=no
# Archives that come before those which the modules themselves name.
link_first=()
link_program() {
    local folder=$1 product=$2 module=$3 objects
    shift 3
    if [ $products_are_built = no ]; then "${programs_build[@]}" --product "$product"; fi
    objects=$("${programs_build[@]}" --show-bin-path)
    swiftc -emit-executable "${link_first[@]}" -static-stdlib -use-ld=lld "@$objects/$product.product/Objects.LinkFileList" "$@" \
        -Xlinker "--defsym=main=${module}_main" -Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker --strip-all \
        -o "$folder/$product"
}

# Prints a heading.
section() { printf '\n==> %s\n' "$*"; }

# Prints a message on the error stream and ends the script.
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# For what this machine lacks something to check: says what. That is a failure, unless CHATELAINE_MAY_SKIP_CHECKS=1 says
# that it may be left out; the status is 77 then.
cannot_check() {
    printf 'Not checked: %s\n' "$*"
    if [ "${CHATELAINE_MAY_SKIP_CHECKS:-0}" = 1 ]; then return 77; fi
    return 1
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

# Prints where the toolchain has its resources (CoreFoundation's headers among them) and its libraries, and the name
# that it gives to the files of a module, a line each.
swift_paths() {
    swiftc -print-target-info | awk -F '"' '
        $2 == "runtimeResourcePath" { resources = $4 }
        $2 == "moduleTriple" { triple = $4 }
        libraries == "next" { libraries = $2 }
        $2 == "runtimeLibraryPaths" { libraries = "next" }
        END { print resources; print libraries; print triple }
    '
}

# A program and its manual: fails where the page has a fault, or lacks a command or an option, and prints that.
manual_is_whole() {
    local program=$1 page=$2 name command count=0 missing=0
    command=$(basename "$page" .1)
    mandoc -T lint -W warning "$page" || missing=1
    while read -r name; do
        count=$((count + 1))
        if ! grep -qE -- "(Fl|Fl -|Cm|Cm [a-z]+|Nm|,) ?-?$name( |$)|^$command$" "$page"; then
            echo "not in the manual of $command: $name"
            missing=1
        fi
    done < <("$program" --experimental-dump-help | sed -nE 's/.*"(commandName|name)" : "([^"]*)".*/\2/p' | sort -u)
    # A program that fails names nothing.
    [ $count -gt 0 ] && return $missing
}
