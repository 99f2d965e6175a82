#!/usr/bin/env bash
# Looks for what a compiler and tests do not: style, layers, scripts, links, stray files. Builds last. What cannot be checked
# here is a failure, unless CHATELAINE_MAY_SKIP_CHECKS=1 allows it.
#
#   scripts/check.sh            everything
#   scripts/check.sh --quick    everything but the build
set -euo pipefail
source "$(dirname "$0")/common.sh"

quick=no
case ${1:-} in
    "") ;;
    --quick) quick=yes ;;
    *) die "unknown argument $1 (only --quick is known)" ;;
esac

scripts/setup.sh --tests

passed=0
skipped=0
failed=0
failures=()
# Runs a check, goes on whatever its outcome, and counts it.
check() {
    local name=$1 status=0
    section "$name"
    shift
    "$@" || status=$?
    case $status in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *)
            failed=$((failed + 1))
            failures+=("$name")
            printf 'FAILED\n'
            ;;
    esac
}

in_clone() { git rev-parse --is-inside-work-tree >/dev/null 2>&1; }

style() { swift_files | xargs -0 -r swift format lint --strict --parallel; }

layers() {
    local manifest
    manifest=$(swift package dump-package) || return 1
    local status=0
    swift scripts/layers.swift <<<"$manifest" || status=1
    scripts/imports.py --check || status=1
    return $status
}

# What KeychainSystem does once, and the one other place for it, which keeps its list from one round to the next.
one_place() {
    local found calls='pollfd\(|[^.a-z]poll\(|waitpid\(|posix_spawn|socketpair\(|flock\(|mkstemp|fdopendir|LISTEN_(PID|FDS)'
    calls+='|clinux_(event|start_program|start_thread|peer_credentials|bind_path)\('
    found=$(grep -rnE "$calls" Sources --include='*.swift' | grep -v -e '^Sources/System/KeychainSystem/' \
        -e '^Sources/Service/EnclaveServer/EnclaveLoop.swift:')
    if [ -n "$found" ]; then
        printf 'KeychainSystem does this, for all callers:\n%s\n' "$found"
        return 1
    fi
    if grep -rnE '\bumask\(' Sources Tests --include='*.swift'; then
        printf 'A process has one umask for all its threads: while it is changed, their new files get a wrong mode.\n'
        return 1
    fi
}

shell_syntax() {
    local script ok=0
    for script in scripts/*.sh .ci/run; do
        bash -n "$script" || ok=1
        if [ "$script" != scripts/common.sh ] && [ ! -x "$script" ]; then
            printf '%s: is not executable\n' "$script"
            ok=1
        fi
    done
    return $ok
}

no_build_products() {
    local tracked
    tracked=$(git ls-files -- ':(glob)**/Package.resolved' ':(glob)**/.build/**' ':(glob)**/.swiftpm/**') || return 1
    if [ -z "$tracked" ]; then return 0; fi
    printf 'tracked, and should not be:\n%s\n' "$tracked"
    return 1
}

# A path under somebody's own folder works on one machine only.
no_machine_paths() {
    local found status=0
    found=$(git grep -nIE '(^|[^A-Za-z0-9_.~}-])/(work|Users|opt/swift|home/[A-Za-z0-9_]+)/' -- ':!LICENSE') || status=$?
    # Any other status than 1 says that git has not searched.
    if [ $status -eq 1 ]; then return 0; fi
    printf 'paths of one machine:\n%s\n' "$found"
    return 1
}

# Apple's four-letter codes stand in one table, and everybody else calls an attribute by its name in AttributeKey. Apple's own
# API and command show the codes, and the store has columns that are called so.
attribute_codes() {
    local words='next|path|port|sign|sync|type|wrap' codes found status=0
    codes=$(sed -nE 's/.* row\("[A-Za-z0-9]+", "(....)".*/\1/p' Sources/Core/KeychainModel/Attributes/AttributeTable.swift |
        grep -vxE "$words" | sort -u | paste -sd '|') || return 1
    # A code that is a word is found only where an attribute is asked for.
    found=$(git grep --untracked -nE "\"($codes)\"|(\.(attributes|filters)\[|text\(|bytes\(|AttributeKey\()\"($words)\"" \
        -- 'Sources/*.swift' ':!Sources/Core/KeychainModel/Attributes' ':!Sources/Core/KeychainStore' \
        ':!Sources/Facades' ':!Sources/Programs/SecurityTool') || status=$?
    if [ $status -eq 1 ]; then return 0; fi
    printf 'codes of attributes, which have names in AttributeKey:\n%s\n' "$found"
    return 1
}

# Prints the targets of a Markdown file's relative links; what stands in code is none.
relative_links() {
    # shellcheck disable=SC2016 # the back-ticks are Markdown's
    awk '/^ *```/ { code = !code } !code { gsub(/`[^`]*`/, ""); print }' "$1" |
        { grep -oE '\]\([^) ]+' || true; } | cut -c 3- | sed 's/#.*//' | { grep -vE '^$|^[a-z]+:' || true; }
}

# Every relative link in a Markdown file leads to a file.
links() {
    local document target documents=0 ok=0
    while IFS= read -r -d '' document; do
        documents=$((documents + 1))
        while IFS= read -r target; do
            if [ ! -e "$(dirname "$document")/$target" ]; then
                printf '%s: links to %s, which is not there\n' "$document" "$target"
                ok=1
            fi
        done < <(relative_links "$document")
    done < <(git ls-files -z --cached --others --exclude-standard -- '*.md')
    # A search that fails finds none.
    [ $documents -gt 0 ] && return $ok
}

# C programs have every constant and every function of the Swift surface, and the same ones.
c_constants() { scripts/c-constants.sh --check; }

every_constant() { scripts/every-constant.sh --check; }

c_functions() {
    local ok=0 swift_functions
    swift_functions=$(mktemp)
    find Sources/Facades/Security Sources/Core/SecurityObjects -name '*.swift' -print0 |
        xargs -0 awk '/^public func Sec/ { sub(/^public func /, ""); sub(/\(.*/, ""); print }' | LC_ALL=C sort -u >"$swift_functions"
    scripts/c-symbols.sh documented-functions | diff -u "$swift_functions" - || ok=1
    rm -f "$swift_functions"
    swift -swift-version 6 scripts/c-signatures.swift || ok=1
    return $ok
}

undeclared_imports() {
    local log found=no
    log=$(mktemp)
    if swift build --build-tests "${debug_options[@]}" 2>&1 | tee "$log"; then
        # Of what we do not declare ourselves: it is declared in no manifest, and stands in docs/decisions/0011.
        if grep ' imports another target ' "$log" | grep -v 'Target X509 imports another target (Security)'; then
            found=yes
        fi
    else
        found=yes
    fi
    rm -f "$log"
    [ "$found" = no ]
}

# Of the programs that the build has just made.
manuals() {
    local folder status=0
    folder=$(swift build --show-bin-path)
    scripts/etcd.sh build || return 1
    manual_is_whole "$folder/security" docs/man/security.1 || status=1
    manual_is_whole "$folder/chatelaine" docs/man/chatelaine.1 || status=1
    manual_is_whole "$folder/chatelaine-etcd" docs/man/chatelaine-etcd.1 || status=1
    return $status
}

# A program that reads XML is linked with libxml2 in a release (scripts/release.sh), and no other: those that serve keep secrets.
xml_readers() {
    local built program reads told status=0
    built=$(swift build --show-bin-path)
    while read -r program; do
        reads=no told=no
        if readelf --dynamic "$built/$program" | grep -q libFoundationXML; then reads=yes; fi
        if grep -q "^program $program .*-lxml2" scripts/release.sh; then told=yes; fi
        if [ $reads != $told ]; then
            printf '%s: reads XML: %s; linked with libxml2 by scripts/release.sh: %s\n' "$program" $reads $told
            status=1
        fi
    done < <(sed -n 's/^program \([a-z-]*\) .*/\1/p' scripts/release.sh)
    return $status
}

# A module named Security turns on canImport(Security) in packages that do not depend on us, and so do not find our C
# modules (docs/decisions/0008). This is what their compiler sees.
import_from_elsewhere() {
    local modules client status=0
    modules=$(swift build --show-bin-path)/Modules
    client=$(mktemp --suffix .swift)
    cat >"$client" <<'SWIFT'
import LocalAuthentication
let copy = SecCertificateCopyData
final class Context: LAContext {}
extension LAContext: @unchecked @retroactive Sendable {}
SWIFT
    swiftc -typecheck -I "$modules" "$client" || status=1
    rm -f "$client"
    return $status
}

# The fuzzers are a package of their own that is built rarely. The compiler checks their sources against the modules of
# the build that the other checks have made.
fuzzers() {
    local built folder target map status=0
    built=$(swift build --show-bin-path)
    folder=$(mktemp -d)
    local flags=(-parse-as-library -swift-version 6 -package-name fuzz -I "$built/Modules" -I "$folder")
    printf 'module CLibFuzzer { umbrella "%s" export * }\n' "$PWD/Fuzz/Sources/CLibFuzzer/include" >"$folder/module.modulemap"
    local -A maps=()
    while read -r map; do
        maps[$(sed -nE 's/^module ([A-Za-z_]+).*/\1/p' "$map" | head -1)]=$map
    done < <(find -L "$built" Sources/System Sources/Facades .build/checkouts/*/Sources -name module.modulemap)
    for map in "${maps[@]}" "$folder/module.modulemap"; do flags+=(-Xcc "-fmodule-map-file=$map"); done
    # What the others import comes first.
    for target in FuzzSupport FuzzRowSupport; do
        swiftc -emit-module -module-name $target -o "$folder/$target.swiftmodule" "${flags[@]}" Fuzz/Sources/$target/*.swift ||
            status=1
    done
    for target in Fuzz/Sources/Fuzz*; do
        target=$(basename "$target")
        swiftc -typecheck -module-name "$target" "${flags[@]}" "Fuzz/Sources/$target"/*.swift || status=1
    done
    rm -rf "$folder"
    return $status
}

# The units are understood by systemd, and leave no more open than they have to (docs/service.md says what, and why).
units() {
    if ! command -v systemd-analyze >/dev/null; then
        cannot_check "the units of systemd, since there is no systemd-analyze"
        return
    fi
    local root status=0 program
    root=$(mktemp -d)
    mkdir -p "$root"/etc/systemd/{system,user} "$root"/usr/{libexec/chatelaine,lib/systemd}
    cp systemd/system/* "$root/etc/systemd/system/"
    cp systemd/user/* "$root/etc/systemd/user/"
    # What the units refer to: the system's own targets, and programs at their places.
    cp -r /lib/systemd/system "$root/usr/lib/systemd/"
    for program in chatelained chatelaine-identify chatelaine-enclave chatelaine-prompt chatelaine-secrets \
        chatelaine-ssh-agent chatelaine-sync chatelaine-passkeys chatelaine-passkey-device; do
        printf '#!/bin/sh\n' >"$root/usr/libexec/chatelaine/$program"
        chmod 755 "$root/usr/libexec/chatelaine/$program"
    done
    systemd-analyze verify --root="$root" systemd/system/*.{service,socket} || status=1
    # A user's manager takes no other root.
    mkdir -p "$root/usr/bin"
    cp "$root/usr/libexec/chatelaine/chatelained" "$root/usr/bin/chatelaine"
    sed -i -e "s|=/usr/libexec/|=$root/usr/libexec/|" -e "s|=/usr/bin/|=$root/usr/bin/|" "$root"/etc/systemd/user/*
    XDG_RUNTIME_DIR=$root systemd-analyze verify --user "$root"/etc/systemd/user/*.{service,socket} || status=1
    exposure() {
        systemd-analyze security --offline=yes --root="$root" --threshold="$2" "$1" >"$root/report" || {
            grep -v '✓' "$root/report"
            status=1
        }
    }
    # In tenths of the exposure level that systemd computes; lower is better.
    exposure chatelained.service 10
    exposure chatelaine-identify.service 33
    exposure chatelaine-enclave.service 10
    exposure chatelaine-prompt.service 20
    exposure chatelaine-passkey-device@1.service 10
    systemd-sysusers --dry-run "$PWD/systemd/sysusers.d/chatelaine.conf" >/dev/null 2>&1 || status=1
    rm -rf "$root"
    return $status
}

# Runs scripts/pam.sh by each of both compilers, with the given arguments.
pam_by_both_compilers() {
    local compiler
    for compiler in cc clang; do
        if ! command -v "$compiler" >/dev/null; then
            cannot_check "C programs for log-ins, since there is no $compiler"
            return
        fi
        CC=$compiler scripts/pam.sh "$@" >/dev/null || return 1
    done
}

# Both compilers, warnings as errors; the module needs PAM and the C library alone, shows nothing but PAM's functions, and
# has nothing that can be written over once it is loaded.
pam_module() {
    local folder status=0
    folder=$(mktemp -d)
    pam_by_both_compilers "$folder" || status=$?
    if [ $status -eq 0 ]; then
        diff <(objdump -p "$folder/pam_chatelaine.so" | awk '$1 == "NEEDED" { print $2 }' | sort) \
            <(printf 'libc.so.6\nlibpam.so.0\n') || status=1
        diff <(nm -D --defined-only "$folder/pam_chatelaine.so" | awk '$2 == "T" && $3 !~ /^_/ { print $3 }' | sort) \
            <(printf 'pam_sm_%s\n' authenticate chauthtok close_session open_session setcred) || status=1
        readelf -d "$folder/pam_chatelaine.so" | grep -q BIND_NOW || status=1
    fi
    rm -rf "$folder"
    return $status
}

# The same for the program that is started as root; and polkit's file is well-formed.
authorization() {
    local folder status=0
    folder=$(mktemp -d)
    pam_by_both_compilers --authorize "$folder" || status=$?
    if [ $status -eq 0 ]; then
        diff <(objdump -p "$folder/chatelaine-authorize" | awk '$1 == "NEEDED" { print $2 }' | sort) \
            <(printf 'libc.so.6\nlibpam.so.0\n') || status=1
        readelf -d "$folder/chatelaine-authorize" | grep -q 'FLAGS_1.*NOW.*PIE' || status=1
    fi
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' packaging/polkit/org.chatelaine.policy || status=1
    rm -rf "$folder"
    return $status
}

check "Swift style" style
check "Layers" layers
check "Calls that have one place" one_place
check "Scripts" shell_syntax
check "Units of systemd" units
check "The module for log-ins" pam_module
check "The program that authenticates owners" authorization
check "The C constants are the Swift ones" c_constants
check "A fork makes every constant first" every_constant
check "The C functions are the Swift ones" c_functions
check "Tests leave nothing behind" scripts/harness-test.sh
check "The service's messages are the generated code's" scripts/protobuf.sh --check
check "So are the messages of etcd" scripts/etcd.sh protobuf --check
if in_clone; then
    check "No build products under version control" no_build_products
    check "No machine's own paths" no_machine_paths
    check "Attributes are called by their names" attribute_codes
    check "Links between documents" links
else
    check "Version control" cannot_check "build products, paths, links and codes under version control, since this is no git clone"
fi
if [ $quick = no ]; then
    check "Build: no warnings, no undeclared imports" undeclared_imports
    check "The manuals have every command and option" manuals
    check "Programs that read XML are linked with it, and no others" xml_readers
    check "Security can be imported by packages that do not depend on us" import_from_elsewhere
    check "The fuzzers compile" fuzzers
    check "The modules declare what docs/api lists" scripts/api.sh --compare
fi

section "Checks: $passed passed, $failed failed, $skipped not checked"
if [ $failed -ne 0 ]; then printf '%s: failed\n' "${failures[@]}"; fi
[ $failed -eq 0 ]
