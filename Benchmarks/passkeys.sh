#!/usr/bin/env bash
# A log-in by passkey, from a browser's first report to the answer, against one signature of the enclave that asks its owner; in
# turns, and somebody types the passcode at once.
#
#   Benchmarks/passkeys.sh [ROUNDS]    of 8 seconds, since a security key does not ask without end
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

scripts/setup.sh --tests
folder=$(mktemp -d)
readonly folder rounds=${1:-10}
processes=()
trap 'kill "${processes[@]}" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT

export CHATELAINE_WARNINGS_AS_ERRORS=0
section "Building"
for product in passkey-ratio chatelained chatelaine chatelaine-passkeys; do
    swift build --package-path Benchmarks --configuration release --product $product
done
programs=$(swift build --package-path Benchmarks --configuration release --show-bin-path)

# Somebody who types the passcode whenever they are asked, without a thought.
cat >"$folder/pinentry" <<'PINENTRY'
#!/bin/sh
echo OK
while read -r command rest; do
    case $command in
        GETPIN) printf 'D %s\nOK\n' 'correct horse' ;;
        BYE) echo OK && exit ;;
        *) echo OK ;;
    esac
done
PINENTRY
chmod +x "$folder/pinentry"

"$programs/chatelained" --session --directory "$folder/keychain" --socket "$folder/keychain.sock" \
    --pinentry "$folder/pinentry" 2>"$folder/log" &
processes+=($!)
for _ in $(seq 200); do
    if grep -q 'serving keychains' "$folder/log"; then break; fi
    sleep 0.1
done
export CHATELAINE_KEYCHAIN=unix:$folder/keychain.sock XDG_RUNTIME_DIR=$folder HOME=$folder
echo 'correct horse' | "$programs/chatelaine" passcode set --stdin
"$programs/chatelaine-passkeys" serve --socket "$folder/passkeys.sock" 2>"$folder/passkeys.log" &
processes+=($!)
for _ in $(seq 200); do
    if [ -S "$folder/passkeys.sock" ]; then break; fi
    sleep 0.1
done
section "A log-in by passkey"
"$programs/passkey-ratio" "$folder/passkeys.sock" "$rounds"
