#!/usr/bin/env bash
# What the enclave costs that is a process of its own: reads through the system's service, whose enclave is one, and
# through a session's, whose enclave is not, in turns; then what a passcode and a rotation of keys take. As root.
#
#   Benchmarks/enclave.sh [ITEMS]
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

[ "$(id -u)" = 0 ] || die "the system's service is started by root"
readonly items=${1:-1000} runs=2000
folder=$(mktemp -d)
readonly folder prefix=$folder/prefix
services=()
trap 'kill "${services[@]}" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
chmod 755 "$folder"

section "Building"
PREFIX=$prefix scripts/install.sh >"$folder/install.log" 2>&1 || die "$(tail -5 "$folder/install.log")"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# shellcheck disable=SC2046 # flags are words
"$(dirname "$(command -v swiftc)")/clang" -std=gnu99 -O2 -Wall -Wextra -Werror Benchmarks/Peers/gets.c \
    -o "$folder/gets" $(pkg-config --cflags --libs chatelaine)

# Starts a service and waits until it serves: start KIND OPTIONS…
start() {
    local kind=$1 log=$folder/$1.log
    shift
    mkdir "$folder/$kind"
    "$prefix/libexec/chatelaine/chatelained" "--$kind" --directory "$folder/$kind/data" \
        --socket "$folder/$kind/keychain.sock" --tpm none "$@" 2>"$log" &
    services+=($!)
    for _ in $(seq 200); do
        if grep -q 'serving keychains' "$log"; then return; fi
        sleep 0.1
    done
    die "$(cat "$log")"
}

at() { CHATELAINE_KEYCHAIN=unix:$folder/$1/keychain.sock "${@:2}"; }

milliseconds() {
    local begin end
    begin=$(date +%s%N)
    "$@" >/dev/null
    end=$(date +%s%N)
    printf '%d' $(((end - begin) / 1000000))
}

mkdir "$folder/teams"
start session
# Numbers that nobody has.
start system --teams "$folder/teams" --user 64221 --identify-user 64222 --enclave-user 64223 --marker-group 64224 \
    --enclave-directory "$folder/enclave"

section "Reads, in microseconds: session, system, ratio"
for kind in session system; do at $kind "$folder/gets" fill "$items" >/dev/null; done
for what in find get; do
    for _ in 1 2 3 4 5; do
        session=$(at session "$folder/gets" $what $runs)
        system=$(at system "$folder/gets" $what $runs)
        awk -v what=$what -v a="$session" -v b="$system" 'BEGIN { printf "%-5s %8.1f %8.1f %6.2f\n", what, a, b, b / a }'
    done
done

section "The owner's commands, in milliseconds: session, system"
for kind in session system; do
    printf 'passcode\n' | at $kind "$prefix/bin/chatelaine" passcode set --stdin >/dev/null
done
# The first tries the passcode (scrypt, 128 MiB); the other, which root may do without, puts all items under new keys.
for command in "passcode verify" "rotate-keys"; do
    for _ in 1 2 3; do
        printf '%-16s' "$command"
        for kind in session system; do
            # shellcheck disable=SC2086 # words on purpose
            printf ' %6d' "$(printf 'passcode\n' | milliseconds at $kind "$prefix/bin/chatelaine" $command --stdin)"
        done
        printf '\n'
    done
done
