#!/usr/bin/env bash
# Installs what the tests' build has made, and tries it as those do who find nothing else of ours: a program in C, one in
# Swift, the command and the service. scripts/test-install.sh does all of that, and more, with the release build.
set -euo pipefail
source "$(dirname "$0")/common.sh"
source scripts/checks.sh

scripts/setup.sh --tests

section "Building"
swift build --build-tests "${debug_options[@]}" 2>&1 | tail -n 1
scripts/etcd.sh build 2>&1 | tail -n 1
built=$(swift build --show-bin-path "${debug_options[@]}")

folder=$(mktemp -d)
service=
finish() {
    if [ -n "$service" ]; then kill "$service" 2>/dev/null && wait "$service" 2>/dev/null || true; fi
    rm -rf "$folder"
}
trap finish EXIT
readonly products=$folder/products prefix=$folder/prefix
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
mkdir "$products"

# What scripts/release.sh makes, from this build: programs, modules, and a library of what a client is linked with.
for program in security chatelaine chatelained chatelaine-{identify,enclave,prompt,secrets,ssh-agent,passkeys,credential,sync,access,etcd}; do
    cp "$built/$program" "$products/"
done
cp "$built"/Modules/{CoreFoundationAliases,SecurityObjects,Security,LocalAuthentication}.{swiftmodule,swiftdoc} "$products/"
grep -vF '/Swift6Client.build/' "$built/Swift6Client.product/Objects.LinkFileList" >"$folder/objects"
swiftc -emit-library -use-ld=lld "@$folder/objects" -lstdc++ -lsqlite3 -Xlinker -soname=libChatelaine.so.0 \
    -o "$products/libChatelaine.so.0"
clang=$(dirname "$(command -v swiftc)")/clang
cp "$built/libSecurityABI.so" "$products/libSecurity.so.1"

section "Installing"
PREFIX=$prefix scripts/install.sh --from "$products" >"$folder/install.log" 2>&1 || {
    tail -n 40 "$folder/install.log"
    die "installing failed"
}

root=$PWD
before_check() { cd "$folder"; }

section "Checking"
c_client() {
    # shellcheck disable=SC2046 # flags are words
    "$clang" -std=c99 -Wall -Wextra -Werror "$root/Tests/Packages/CMake/client.c" -o c-client \
        $(pkg-config --cflags --libs chatelaine)
    CHATELAINE_KEYCHAIN=memory: is_well ./c-client
}
check "a C program builds by pkg-config and runs" c_client

swift_client() {
    # shellcheck disable=SC2046 # flags are words
    swiftc -swift-version 6 $(pkg-config --cflags --libs chatelaine-swift) "$root"/Tests/Clients/Swift6Client/*.swift \
        -o swift-client
    CHATELAINE_KEYCHAIN=memory: is_well ./swift-client
}
check "a Swift program builds by pkg-config and runs" swift_client

# Three packages that build for Linux without a keychain, and not with one; one of them is fetched, under another name than
# its module's.
unaware() {
    export XDG_CACHE_HOME=$folder/cache CHATELAINE_KEYCHAIN=memory:
    cp -r "$root/Tests/Packages/Unaware" unaware
    git -c init.defaultBranch=main init -q unaware/StateKit
    git -C unaware/StateKit add .
    git -C unaware/StateKit -c user.name=smoke -c user.email=smoke@example.invalid commit -q -m first
    git -C unaware/StateKit tag 1.0.0
    sed -i "s|.package(path: \"../StateKit\")|.package(url: \"$folder/unaware/StateKit\", from: \"1.0.0\")|" \
        unaware/App/Package.swift
    cd unaware/App
    local hidden=(--hide Networking --hide TokenStore)
    if "$prefix/bin/chatelaine" swift "${hidden[@]}" build; then return 1; fi
    "$prefix/bin/chatelaine" port >said
    cat said
    grep -q 'statekit: STOPS BUILDING' said
    "$prefix/bin/chatelaine" swift "${hidden[@]}" --hide statekit test
    [ "$(.build/debug/app)" = "no Security, no Security, no LocalAuthentication, 0" ]
}
check "packages that stop building with a keychain build where it is hidden from them" unaware

# A service of the session, by hand.
export CHATELAINE_KEYCHAIN=unix:$folder/socket
"$prefix/libexec/chatelaine/chatelained" --session --directory "$folder/keychain" --socket "$folder/socket" \
    2>"$folder/service.log" &
service=$!
for _ in $(seq 500); do if [ -S "$folder/socket" ]; then break; fi; sleep 0.02; done
security() { "$prefix/bin/security" "$@"; }
chatelaine() { "$prefix/bin/chatelaine" "$@"; }
the_service() {
    security add-generic-password -s smoke -a alice -w secret
    [ "$(security find-generic-password -s smoke -w)" = secret ]
    chatelaine passcode set --stdin <<<'a passcode'
    chatelaine lock
    if security find-generic-password -s smoke -w; then return 1; fi
    chatelaine unlock --stdin <<<'a passcode'
    [ "$(security find-generic-password -s smoke -w)" = secret ]
}
check "the C program finds all well with the service" is_well ./c-client
check "the Swift program finds all well with the service" is_well ./swift-client
check "the service keeps a password for the command, and locks it" the_service

unset CHATELAINE_KEYCHAIN
kill "$service"
wait "$service" || die "the service ended with status $?: $(cat "$folder/service.log")"
service=

uninstalled() {
    PREFIX=$prefix "$root/scripts/install.sh" --uninstall
    [ -z "$(find "$prefix" -type f -o -type l)" ]
}
check "uninstalling removes what was installed" uninstalled

finish_checks Smoke
