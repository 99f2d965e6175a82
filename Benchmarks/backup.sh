#!/usr/bin/env bash
# How long a backup of 15,000 items takes, and its restoration into an empty and into the same keychain.
#
#   Benchmarks/backup.sh [ITEMS]
#
# Builds the commands for release, fills a keychain in a folder of its own, and times each three times.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

readonly items=${1:-15000}
"${release_build[@]}" --product chatelaine
"${release_build[@]}" --product keychain-filler
products=$("${release_build[@]}" --show-bin-path)
readonly products
folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT

seq "$items" | awk '{ printf "class=genp\tacct=account-%d\tsvce=service-%d\tlabl=A label of item %d\tv_Data=value-%032d\n", $1, $1 % 100, $1, $1 }' \
    | "$products/keychain-filler" "$folder/full" group
"$products/chatelaine" backup keygen "$folder/identity" >"$folder/recipient"

timed() {
    local start end
    start=$(date +%s%N)
    "${@:2}" >/dev/null
    end=$(date +%s%N)
    printf '%-40s %6d ms\n' "$1" $(((end - start) / 1000000))
}

for round in 1 2 3; do
    export CHATELAINE_KEYCHAIN=embedded:$folder/full
    timed "backup of $items items" "$products/chatelaine" backup create --force --recipient "$(cat "$folder/recipient")" "$folder/file"
    timed "verification" "$products/chatelaine" backup verify --identity "$folder/identity" "$folder/file"
    timed "restoration over the same items" \
        "$products/chatelaine" backup restore --on-conflict replace --identity "$folder/identity" "$folder/file"
    export CHATELAINE_KEYCHAIN=embedded:$folder/empty-$round
    timed "restoration into an empty keychain" \
        "$products/chatelaine" backup restore --accept-origin --identity "$folder/identity" "$folder/file"
done
ls -l "$folder/file" | awk '{ print $5 " bytes" }'
