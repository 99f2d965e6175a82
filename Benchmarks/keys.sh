#!/usr/bin/env bash
# Private keys of the enclave against swift-crypto in the program, in turns: the enclave in the program itself, in a session's
# service, as a process of its own, and with keys in a TPM (swtpm). As root.
#
#   Benchmarks/keys.sh [ROUNDS]
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

[ "$(id -u)" = 0 ] || die "the system's service is started by root"
scripts/setup.sh --tests
folder=$(mktemp -d)
readonly folder rounds=${1:-30}
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
chmod 755 "$folder"

export CHATELAINE_WARNINGS_AS_ERRORS=0
section "Building"
for product in key-ratio chatelained chatelaine-identify chatelaine-enclave; do
    swift build --package-path Benchmarks --configuration release --product $product
done
programs=$(swift build --package-path Benchmarks --configuration release --show-bin-path)

# Starts a service and waits until it serves: start NAME KIND OPTIONS…
start() {
    local name=$1 log=$folder/$1.log
    mkdir "$folder/$name"
    "$programs/chatelained" "--$2" --directory "$folder/$name/data" --socket "$folder/$name/keychain.sock" "${@:3}" \
        2>"$log" &
    processes+=($!)
    for _ in $(seq 200); do
        if grep -q 'serving keychains' "$log"; then return; fi
        sleep 0.1
    done
    die "$(cat "$log")"
}

# Numbers that nobody has.
readonly users=(--user 64221 --identify-user 64222 --enclave-user 64223 --marker-group 64224)
mkdir "$folder/teams" "$folder/emulator"
start session session --tpm none
start system system --tpm none --teams "$folder/teams" "${users[@]}" --enclave-directory "$folder/enclave"
chown 64223 "$folder/emulator"
swtpm socket --tpm2 --tpmstate "dir=$folder/emulator" --server "type=unixio,path=$folder/emulator/sock,mode=0666" \
    --ctrl "type=unixio,path=$folder/emulator/ctrl" --flags not-need-init,startup-clear &
processes+=($!)
chmod 755 "$folder/emulator"
start tpm system --tpm "swtpm:path=$folder/emulator/sock" --teams "$folder/teams" "${users[@]}" \
    --enclave-directory "$folder/enclave-with-tpm"

measure() {
    section "$1"
    CHATELAINE_KEYCHAIN=$2 "$programs/key-ratio" "$3"
}
measure "In the program" "embedded:$folder/keychain" "$rounds"
measure "Through a session's service" "unix:$folder/session/keychain.sock" "$rounds"
measure "Through the system's service, in a process of its own" "unix:$folder/system/keychain.sock" "$rounds"
measure "The same, with the keys in a TPM (swtpm)" "unix:$folder/tpm/keychain.sock" $((rounds > 3 ? 3 : rounds))
